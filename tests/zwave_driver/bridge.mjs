// The real Z-Wave driver with simulated devices, on MQTT as Z-Wave JS UI lays it out.
//
// One JSON object per line: `{"ready": true}` on stdout when all devices are known; on stdin the faults,
// `{"node": 5, "fault": "dead" | "jammed" | "ignoring" | null}`, and what a device reports by itself: `{"node": 8, "door": "open"}`,
// `{"node": 8, "battery": 15}`, `{"node": 30, "button": 2, "key": 3}` or `{"node": 31, "notification": [type, event, …parameters]}`;
// each is answered with the same line. The end of stdin ends it.

import { createInterface } from "node:readline";
import { ColorComponent, ColorComponentMap, SwitchType } from "@zwave-js/cc";
import { BinarySwitchCCSet } from "@zwave-js/cc/BinarySwitchCC";
import { ColorSwitchCCSet } from "@zwave-js/cc/ColorSwitchCC";
import { DoorLockCCOperationSet } from "@zwave-js/cc/DoorLockCC";
import { MultilevelSwitchCCSet } from "@zwave-js/cc/MultilevelSwitchCC";
import { SoundSwitchCCTonePlaySet } from "@zwave-js/cc/SoundSwitchCC";
import { CommandClasses } from "@zwave-js/core";
import { MockController, MockNode, ccCaps } from "@zwave-js/testing";
import mqtt from "mqtt";
import { NodeStatus } from "zwave-js";
import {
	createAndStartDriverWithMockPort,
	createDefaultMockControllerBehaviors,
	createDefaultMockNodeBehaviors,
} from "zwave-js/Testing";
import { DOOR_EVENTS, LOCK_EVENTS, answering, battery, buttons, notifies, publishReports, report } from "./reporting.mjs";

const [brokerUrl, cacheFolder] = process.argv.slice(2);
const GATEWAY = "ZWAVE_GATEWAY-Driver";
const BASE = `zwave/_CLIENTS/${GATEWAY}`;
const STATES = { currentValue: "targetValue", currentMode: "targetMode" };

const switchable = () => ccCaps({ ccId: CommandClasses["Binary Switch"], isSupported: true, version: 2 });
const level = (primarySwitchType, travelTime = 0) =>
	ccCaps({ ccId: CommandClasses["Multilevel Switch"], isSupported: true, version: 4, primarySwitchType, travelTime });
const supervised = () => ccCaps({ ccId: CommandClasses.Supervision, isSupported: true, version: 1 });
const lock = () => ccCaps({ ccId: CommandClasses["Door Lock"], isSupported: true, version: 4 });

const colour = (...components) =>
	ccCaps({
		ccId: CommandClasses["Color Switch"],
		isSupported: true,
		version: 3,
		colorComponents: Object.fromEntries(components.map((component) => [component, 0])),
	});
const sound = () =>
	ccCaps({
		ccId: CommandClasses["Sound Switch"],
		isSupported: true,
		version: 2,
		defaultToneId: 1,
		defaultVolume: 40,
		tones: [{ name: "Ding Dong", duration: 30 }, { name: "Westminster", duration: 30 }],
	});
const { "Warm White": WARM, "Cold White": COLD, Red, Green, Blue } = ColorComponent;
const FAN = { genericDeviceClass: 17, specificDeviceClass: 8 };
const codes = () => ccCaps({ ccId: CommandClasses["User Code"], isSupported: true, version: 2, numUsers: 5 });
const configuration = () =>
	ccCaps({
		ccId: CommandClasses.Configuration,
		isSupported: true,
		version: 4,
		parameters: [
			{ "#": 20, valueSize: 2, name: "Power Limit", minValue: 0, maxValue: 3600, defaultValue: 2500 },
			{ "#": 21, valueSize: 1, name: "Report Threshold", minValue: 0, maxValue: 100, defaultValue: 10 },
		],
	});

const HOME = [
	{ id: 2, name: "Ceiling Light", location: "Living Room", classes: [switchable(), supervised()] },
	{ id: 3, name: "Floor Lamp", location: "Living Room", classes: [level(SwitchType["Off/On"])] },
	{ id: 4, name: "Front Door Lock", location: "Hallway", classes: [lock(), codes(), notifies(LOCK_EVENTS)] },
	{ id: 5, name: "Space Heater", location: "Garage", classes: [switchable()] },
	{ id: 6, name: "Window Blind", location: "Bedroom", classes: [level(SwitchType["Down/Up"], 2000), supervised()] },
	{ id: 7, name: "Coffee Maker", location: "Kitchen", classes: [switchable(), configuration()] },
	{ id: 8, name: "Back Door", location: "Hallway", classes: [notifies({ ...DOOR_EVENTS, 7: [3] }), battery()] },
	{ id: 20, name: "Mood Light", location: "Lounge", classes: [level(SwitchType["Off/On"]), colour(WARM, Red, Green, Blue), supervised()] },
	{ id: 21, name: "Reading Lamp", location: "Lounge", classes: [level(SwitchType["Off/On"]), colour(WARM, COLD)] },
	{ id: 22, name: "Airflow", location: "Lounge", classes: [level(SwitchType["Off/On"])], built: FAN },
	{ id: 23, name: "Door Chime", location: "Hallway", classes: [sound()] },
	{ id: 30, name: "Wall Remote", location: "Stairs", classes: [buttons(4)] },
	{ id: 31, name: "Doorbell", location: "Hallway", classes: [buttons(1)] },
	{ id: 32, name: "Smoke Alarm", location: "Kitchen", classes: [notifies({ 1: [2, 3] }), battery()] },
	{ id: 33, name: "Leak Sensor", location: "Bathroom", classes: [notifies({ 5: [2] })] },
];

const faults = new Map(); // node id -> fault

/** A device that acknowledges the radio frame of a command and does nothing. */
const deafBehaviour = {
	handleCC(_controller, self, received) {
		const commands = [BinarySwitchCCSet, DoorLockCCOperationSet, ColorSwitchCCSet, MultilevelSwitchCCSet, SoundSwitchCCTonePlaySet];
		const commanded = commands.some((command) => received instanceof command);
		if (commanded && ["jammed", "ignoring"].includes(faults.get(self.id))) return { action: "ok" };
	},
};

/** Reading a frame with colours, which only a device does, fails in this version of the driver. */
ColorSwitchCCSet.from = function from(raw, ctx) {
	const names = Object.fromEntries(Object.entries(ColorComponentMap).map(([name, component]) => [component, name]));
	const count = raw.payload[0] & 0b11111;
	const pairs = Array.from({ length: count }, (_, at) => [names[raw.payload[1 + 2 * at]], raw.payload[2 + 2 * at]]);
	return new this({ nodeId: ctx.sourceNodeId, ...Object.fromEntries(pairs) });
};

async function startDriver() {
	const { driver, mockPort, serial, continueStartup } = await createAndStartDriverWithMockPort({
		storage: { cacheDir: cacheFolder },
		logConfig: { enabled: false },
		testingHooks: { skipBootloaderCheck: true },
	});
	driver.on("error", (error) => console.error("driver error", error));
	const controller = await MockController.create({ mockPort, serial, homeId: 0x7e570001, ownNodeId: 1 });
	controller.defineBehavior(...createDefaultMockControllerBehaviors());
	const devices = new Map();
	for (const { id, classes, built } of HOME) {
		const device = await MockNode.create({ id, controller, capabilities: { txDelay: 0, commandClasses: classes, ...built } });
		device.defineBehavior(...createDefaultMockNodeBehaviors());
		device.defineBehavior(deafBehaviour, ...answering);
		controller.addNode(device);
		devices.set(id, device);
	}
	const ready = new Promise((resolve) => driver.once("all nodes ready", resolve));
	continueStartup();
	await ready;
	for (const { id, name, location } of HOME) {
		Object.assign(driver.controller.nodes.get(id), { name, location });
	}
	const codes = driver.controller.nodes.get(4).commandClasses["User Code"];
	await codes.set(1, 1, "471100");
	await codes.set(3, 1, "081500");
	return { driver, devices };
}

/** One value as Z-Wave JS UI describes it. */
function describe(node, valueId, known) {
	const metadata = node.getValueMetadata(valueId);
	const key = [valueId.commandClass, valueId.endpoint ?? 0, valueId.property, valueId.propertyKey]
		.filter((part) => part !== undefined)
		.join("-");
	const target = STATES[valueId.property];
	const targetKey = `${valueId.commandClass}-${valueId.endpoint ?? 0}-${target}`;
	const states = Object.entries(metadata.states ?? {});
	return [key, {
		id: `${node.id}-${key}`,
		nodeId: node.id,
		commandClass: valueId.commandClass,
		endpoint: valueId.endpoint ?? 0,
		property: valueId.property,
		propertyKey: valueId.propertyKey,
		type: metadata.type,
		readable: metadata.readable,
		writeable: metadata.writeable,
		label: metadata.label,
		unit: metadata.unit,
		min: metadata.min,
		max: metadata.max,
		allowManualEntry: metadata.allowManualEntry,
		states: states.map(([value, text]) => ({ text, value: Number(value) })),
		value: node.getValue(valueId),
		...(target && known.has(targetKey) ? { isCurrentValue: true, targetValue: targetKey } : {}),
		lastUpdate: node.getValueTimestamp(valueId),
	}];
}

function listNodes(driver) {
	return [...driver.controller.nodes.values()].map((node) => {
		const ids = node.getDefinedValueIDs();
		const known = new Set(ids.map((id) => `${id.commandClass}-${id.endpoint ?? 0}-${id.property}`));
		return {
			id: node.id,
			name: node.name ?? "",
			loc: node.location ?? "",
			status: NodeStatus[node.status],
			available: node.status !== NodeStatus.Dead,
			ready: node.ready,
			isControllerNode: node.isControllerNode,
			deviceClass: node.deviceClass && { generic: node.deviceClass.generic.key, specific: node.deviceClass.specific.key },
			values: Object.fromEntries(ids.map((id) => describe(node, id, known))),
		};
	});
}

/** Z-Wave JS UI turns every error of a write into this status (recorded). */
async function writeValue(driver, id, value, options) {
	try {
		return await driver.controller.nodes.getOrThrow(id.nodeId).setValue(id, value, options);
	} catch {
		return { status: 2 };
	}
}

const API = {
	getInfo: (driver) => ({
		appVersion: "driver bridge",
		zwaveVersion: "15.29.0",
		inclusionState: driver.controller.inclusionState,
	}),
	getNodes: (driver) => listNodes(driver),
	writeValue,
	pollValue: (driver, id) => driver.controller.nodes.getOrThrow(id.nodeId).pollValue(id),
	pingNode: (driver, nodeId) => driver.controller.nodes.getOrThrow(nodeId).ping(),
	_getScenes: () => [],
	setNodeName: (driver, nodeId, name) => {
		driver.controller.nodes.getOrThrow(nodeId).name = name;
		return true;
	},
	setNodeLocation: (driver, nodeId, location) => {
		driver.controller.nodes.getOrThrow(nodeId).location = location;
		return true;
	},
	// Z-Wave JS UI answers at once, too; the interview goes on.
	refreshInfo: async (driver, nodeId) => {
		await driver.controller.nodes.getOrThrow(nodeId).refreshInfo();
	},
	startInclusion: (driver) => driver.controller.beginInclusion({ strategy: 2 }),
	stopInclusion: (driver) => driver.controller.stopInclusion(),
	startExclusion: (driver) => driver.controller.beginExclusion(),
	stopExclusion: (driver) => driver.controller.stopExclusion(),
	accessControlRefreshUsers: async (driver, nodeId) => {
		const lock = driver.controller.nodes.getOrThrow(nodeId).commandClasses["User Code"];
		const users = [];
		for (let userId = 1; userId <= 5; userId++) {
			const { userIdStatus } = await lock.get(userId);
			if (userIdStatus) users.push({ userId, active: userIdStatus === 1, userType: 0 });
		}
		return users;
	},
	accessControlGetState: () => ({ supported: true, endpoints: [{ endpointIndex: 0, capabilities: { maxUsers: 5 } }] }),
};

async function answer(driver, api, request) {
	try {
		const result = await API[api](driver, ...request.args);
		return { success: true, message: "Success zwave api call", result, args: request.args, origin: request };
	} catch (error) {
		return { success: false, message: error.message, args: request.args, origin: request };
	}
}

const { driver, devices } = await startDriver();
const will = { topic: `${BASE}/status`, payload: '{"value":false}', qos: 1, retain: true };
const client = await mqtt.connectAsync(brokerUrl, { will });
client.on("message", async (topic, payload) => {
	const api = topic.split("/").at(-2);
	const reply = await answer(driver, api, JSON.parse(payload.toString()));
	await client.publishAsync(`${BASE}/api/${api}`, JSON.stringify(reply), { qos: 1 });
});
await client.subscribeAsync(Object.keys(API).map((api) => `${BASE}/api/${api}/set`), { qos: 1 });
await client.publishAsync("zwave/driver/status", "true", { qos: 1, retain: true });
await client.publishAsync(`${BASE}/status`, JSON.stringify({ value: true, time: Date.now() }), { qos: 1, retain: true });
publishReports(driver, client, GATEWAY);
console.log(JSON.stringify({ ready: true }));

for await (const line of createInterface({ input: process.stdin })) {
	const { node, fault, ...told } = JSON.parse(line);
	if (Object.keys(told).length > 0) {
		await report(devices.get(node), told);
	} else {
		faults.set(node, fault);
		devices.get(node).autoAckControllerFrames = fault !== "dead";
	}
	console.log(line);
}
await client.endAsync();
await driver.destroy();
process.exit(0);
