// The real Z-Wave driver with simulated devices (home.mjs), on MQTT as Z-Wave JS UI lays it out (gateway.mjs, reporting.mjs).
//
// One JSON object per line: `{"ready": true}` on stdout when all devices are known; on stdin
// - the faults, `{"node": 5, "fault": "dead" | "jammed" | "ignoring" | "refusing" | null}`;
// - what a device reports by itself: `{"node": 8, "door": "open"}`, `{"node": 8, "battery": 15}`, `{"node": 30, "button": 2, "key": 3}`,
//   `{"node": 10, "meter": [scale, value]}`, `{"node": 3, "level": 40}`, `{"node": 12, "operating": 2}` or
//   `{"node": 31, "notification": [type, event, …parameters]}`;
// - what a device is set to by hand, without a word: `{"node": 5, "hand": {"BinarySwitch_currentValue": true}}`;
// - what it holds itself: `{"node": 5, "held": "BinarySwitch_currentValue"}`;
// - the gateway's life: `{"driver": "stop"}`; `{"driver": "start"}`, after which no device has answered yet; `{"driver": "answer"}`;
// - calls that it does not have: `{"without": ["beginRebuildingRoutes"]}`.
// Each is answered with a line when it is in force, what is held with `{"value": …}`. The end of stdin ends it.

import { createInterface } from "node:readline";
import { MockController, MockNode } from "@zwave-js/testing";
import mqtt from "mqtt";
import {
	createAndStartDriverWithMockPort,
	createDefaultMockControllerBehaviors,
	createDefaultMockNodeBehaviors,
} from "zwave-js/Testing";
import { Gateway } from "./gateway.mjs";
import { HOME, behaviours, faults } from "./home.mjs";
import { publishReports, report } from "./reporting.mjs";

const [brokerUrl, cacheFolder] = process.argv.slice(2);
const NAME = "ZWAVE_GATEWAY-Driver";
const BASE = `zwave/_CLIENTS/${NAME}`;

const devices = new Map(); // node id -> simulated device
const gateway = new Gateway();
let driver;
let radio = Promise.resolve(); // nothing is sent before

const RADIO = "SendData";
const waiting = {
	async onHostMessage(_controller, message) {
		if (message.constructor.name.startsWith(RADIO)) await radio;
	},
};

async function plugIn(controller) {
	for (const { id, classes, built } of HOME) {
		const device = await MockNode.create({ id, controller, capabilities: { txDelay: 0, commandClasses: classes, ...built } });
		device.defineBehavior(...createDefaultMockNodeBehaviors());
		device.defineBehavior(...behaviours);
		for (const [key, held] of devices.get(id)?.state ?? []) if (plain(held) === held) device.state.set(key, held); // a stick knows nothing of it
		device.autoAckControllerFrames = faults.get(id) !== "dead";
		controller.addNode(device);
		devices.set(id, device);
	}
}

/** The driver, as soon as it knows which nodes there are, and the promise that it knows all of them. */
async function startDriver() {
	const { driver, mockPort, serial, continueStartup } = await createAndStartDriverWithMockPort({
		storage: { cacheDir: cacheFolder },
		logConfig: { enabled: false },
		testingHooks: { skipBootloaderCheck: true },
	});
	driver.on("error", (error) => console.error("driver error", error));
	const controller = await MockController.create({ mockPort, serial, homeId: 0x7e570001, ownNodeId: 1 });
	controller.defineBehavior(...createDefaultMockControllerBehaviors());
	controller.defineBehavior(waiting);
	await plugIn(controller);
	const known = new Promise((resolve) => driver.once("driver ready", resolve));
	const ready = new Promise((resolve) => driver.once("all nodes ready", resolve));
	continueStartup();
	await known;
	return { driver, ready };
}

async function furnish() {
	for (const { id, name, location } of HOME) {
		Object.assign(driver.controller.nodes.get(id), { name, location });
	}
	const codes = driver.controller.nodes.get(4).commandClasses["User Code"];
	await codes.set(1, 1, "471100");
	await codes.set(3, 1, "081500");
}

const say = (topic, payload) => client.publishAsync(topic, payload, { qos: 1, retain: true });
let answerRadio = () => {};
let allReady;

const LIFE = {
	async stop() {
		gateway.driver = undefined;
		await driver.destroy();
		await say("zwave/driver/status", "false");
	},
	async start() {
		radio = new Promise((resolve) => (answerRadio = resolve));
		({ driver, ready: allReady } = await startDriver());
		gateway.driver = driver;
		await say("zwave/driver/status", "true");
		publishReports(driver, client, NAME);
	},
	async answer() {
		answerRadio();
		await allReady;
	},
};

({ driver, ready: allReady } = await startDriver());
await allReady;
await furnish();
gateway.driver = driver;
const will = { topic: `${BASE}/status`, payload: '{"value":false}', qos: 1, retain: true };
const client = await mqtt.connectAsync(brokerUrl, { will });
client.on("message", async (topic, payload) => {
	const api = topic.split("/").at(-2);
	const reply = await gateway.answer(api, JSON.parse(payload.toString()));
	await client.publishAsync(`${BASE}/api/${api}`, JSON.stringify(reply), { qos: 1 });
});
await client.subscribeAsync(`${BASE}/api/+/set`, { qos: 1 });
await say("zwave/driver/status", "true");
await say(`${BASE}/status`, JSON.stringify({ value: true, time: Date.now() }));
publishReports(driver, client, NAME);
console.log(JSON.stringify({ ready: true }));

/** A ramp, or a tone, is more than can be told: it is there. */
const plain = (held) => (typeof held === "object" && held !== null ? true : (held ?? null));

function setByHand(device, key, now) {
	device.state.get(key)?.timer?.clear();
	device.state.set(key, now);
}

async function obey({ node, fault, hand, held, driver: life, without, ...told }) {
	const device = devices.get(node);
	if (life) return LIFE[life]();
	if (without) return void (gateway.without = new Set(without));
	if (held) return { value: plain(device.state.get(held)) };
	if (hand) return void Object.entries(hand).forEach(([key, now]) => setByHand(device, key, now));
	if (Object.keys(told).length > 0) return report(device, told);
	faults.set(node, fault);
	device.autoAckControllerFrames = fault !== "dead";
}

for await (const line of createInterface({ input: process.stdin })) {
	console.log(JSON.stringify((await obey(JSON.parse(line))) ?? {}));
}
await client.endAsync();
await driver.destroy();
process.exit(0);
