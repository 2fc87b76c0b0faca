// What simulated devices tell by themselves, and how Z-Wave JS UI passes it on over MQTT.

import { DoorLockMode } from "@zwave-js/cc";
import { BatteryCCReport } from "@zwave-js/cc/BatteryCC";
import { CentralSceneCCNotification, CentralSceneCCSupportedGet, CentralSceneCCSupportedReport } from "@zwave-js/cc/CentralSceneCC";
import { MeterCCReport } from "@zwave-js/cc/MeterCC";
import { MultilevelSwitchCCReport } from "@zwave-js/cc/MultilevelSwitchCC";
import { NotificationCCGet, NotificationCCReport } from "@zwave-js/cc/NotificationCC";
import { ThermostatOperatingStateCCReport } from "@zwave-js/cc/ThermostatOperatingStateCC";
import { CommandClasses, Duration } from "@zwave-js/core";
import { ccCaps, createMockZWaveRequestFrame } from "@zwave-js/testing";
import { NodeStatus } from "zwave-js";

const TAKEN_BACK_MS = 1000; // what is no state is published again without a value, as recorded
const ACCESS = 0x06;
const DOOR = { open: 0x16, closed: 0x17 };
const LOCKING = [0x01, 0x03, 0x05, 0x09];
const UNLOCKING = [0x02, 0x04, 0x06];

/** By type of notification, the events that a device may tell. */
export const notifies = (notificationTypesAndEvents) =>
	ccCaps({ ccId: CommandClasses.Notification, isSupported: true, version: 8, supportsV1Alarm: false, notificationTypesAndEvents });
export const buttons = (count) => ccCaps({ ccId: CommandClasses["Central Scene"], isSupported: true, version: 2, count });
export const battery = () => ccCaps({ ccId: CommandClasses.Battery, isSupported: true, version: 1 });
export const DOOR_EVENTS = { [ACCESS]: Object.values(DOOR) };
export const LOCK_EVENTS = { [ACCESS]: [...LOCKING, ...UNLOCKING, 0x0b] };

/** Questions of the interview that the stock simulator leaves unanswered. */
export const answering = [
	{
		handleCC(controller, _self, received) {
			if (!(received instanceof NotificationCCGet)) return;
			const { notificationType } = received;
			return { action: "sendCC", cc: new NotificationCCReport({ nodeId: controller.ownNodeId, notificationType, notificationEvent: 0 }) };
		},
	},
	{
		handleCC(controller, self, received) {
			if (!(received instanceof CentralSceneCCSupportedGet)) return;
			const { count } = self.getCCCapabilities(CommandClasses["Central Scene"]);
			const cc = new CentralSceneCCSupportedReport({ nodeId: controller.ownNodeId, sceneCount: count, supportsSlowRefresh: false, supportedKeyAttributes: {} });
			return { action: "sendCC", cc: written(cc, [count, 0b011, 0b1111111]) }; // one mask for all buttons: every way to press
		},
	},
];

/** The driver only reads these; a device writes them. */
export function written(cc, bytes) {
	cc.payload = Buffer.from(bytes);
	return cc;
}

let pressed = 0; // the same number again is the same frame again

function frame(device, { door, battery, button, key, notification, meter, level, operating }) {
	const nodeId = device.id;
	if (button !== undefined) {
		pressed = (pressed + 1) % 256;
		const facts = { nodeId, sequenceNumber: pressed, keyAttribute: key, sceneNumber: button };
		return written(new CentralSceneCCNotification(facts), [pressed, key, button]);
	}
	if (battery !== undefined) return new BatteryCCReport({ nodeId, level: battery, isLow: battery === 0 });
	if (meter !== undefined) return new MeterCCReport({ nodeId, type: 1, scale: meter[0], rateType: 1, value: meter[1], deltaTime: 0 });
	if (operating !== undefined) {
		device.state.set("operating", operating);
		return new ThermostatOperatingStateCCReport({ nodeId, state: operating });
	}
	if (level !== undefined) {
		device.state.set("MultilevelSwitch_currentValue", level);
		return new MultilevelSwitchCCReport({ nodeId, currentValue: level, targetValue: level, duration: new Duration(0, "seconds") });
	}
	const [notificationType, notificationEvent, ...more] = door ? [ACCESS, DOOR[door]] : notification;
	if (notificationType === ACCESS && LOCKING.includes(notificationEvent)) device.state.set("DoorLock_currentMode", DoorLockMode.Secured);
	if (notificationType === ACCESS && UNLOCKING.includes(notificationEvent)) device.state.set("DoorLock_currentMode", DoorLockMode.Unsecured);
	const eventParameters = more.length > 0 ? Buffer.from(more) : undefined;
	return new NotificationCCReport({ nodeId, notificationType, notificationEvent, eventParameters });
}

/** A device tells something by itself. */
export const report = (device, told) => device.sendToController(createMockZWaveRequestFrame(frame(device, told), { ackRequested: false }));

// The gateway has its own names for some command classes (recorded).
const CLASS_NAMES = {
	"Binary Switch": "switch_binary",
	"Multilevel Switch": "switch_multilevel",
	"Binary Sensor": "sensor_binary",
	"Multilevel Sensor": "sensor_multilevel",
	"Color Switch": "color",
	"Window Covering": "unknownClass_106",
};

const clean = (text) => String(text).replaceAll(/\s/g, "_").replaceAll(/[^A-Za-z0-9\-_]/g, "");
const nodeTopic = (node) => ["zwave", node.location, node.name || `nodeID_${node.id}`].filter(Boolean).map(clean).join("/");
const topicOf = (node, className, endpoint, ...names) =>
	[nodeTopic(node), CLASS_NAMES[className] ?? clean(className).toLowerCase(), `endpoint_${endpoint ?? 0}`, ...names.filter((one) => one !== undefined && one !== "").map(clean)].join("/");

/** Everything that changes or happens: by its name topics, and once more as events, which may be switched on. */
export function publishReports(driver, client, gateway) {
	const publish = (topic, body, retain) => client.publish(topic, JSON.stringify({ time: Date.now(), ...body }), { qos: 1, retain });
	const event = (node, name, ...data) =>
		client.publish(`zwave/_EVENTS/${gateway}/node/${name}`, JSON.stringify({ data: [{ id: node.id, name: node.name, location: node.location }, ...data] }), { qos: 1 });
	const taking = new Map(); // topic -> timer

	for (const node of driver.controller.nodes.values()) {
		const status = (name) => {
			const now = NodeStatus[node.status];
			publish(`${nodeTopic(node)}/status`, { value: now !== "Dead", status: now, nodeId: node.id }, true);
			if (name) event(node, name);
		};
		const changed = (_node, args) => {
			publish(topicOf(node, args.commandClassName, args.endpoint, args.propertyName, args.propertyKeyName), { value: args.newValue }, true);
			event(node, "node_value_updated", args);
		};
		const happened = (_node, args) => {
			const topic = topicOf(node, args.commandClassName, args.endpoint, args.propertyName, args.propertyKeyName);
			publish(topic, { value: args.value }, false);
			event(node, "node_value_updated", { ...args, newValue: args.value, stateless: true });
			clearTimeout(taking.get(topic));
			taking.set(topic, setTimeout(() => publish(topic, {}, false), TAKEN_BACK_MS).unref());
		};
		const notified = (endpoint, commandClass, args) => {
			if (commandClass === CommandClasses.Notification) {
				publish(topicOf(node, "Notification", endpoint.index, args.label, args.eventLabel), { value: args.parameters }, false);
			}
			event(node, "node_notification", commandClass, args);
		};
		/** What the cache holds is published as it was, with its old time. */
		const known = () => {
			for (const id of node.isControllerNode ? [] : node.getDefinedValueIDs()) {
				const topic = topicOf(node, id.commandClassName, id.endpoint, id.propertyName, id.propertyKeyName);
				publish(topic, { time: node.getValueTimestamp(id) ?? Date.now(), value: node.getValue(id) }, true);
			}
			status("node_ready");
		};
		if (!node.ready) status();
		node.on("value added", changed).on("value updated", changed).on("value notification", happened).on("notification", notified);
		node.on("ready", known).on("dead", () => status("node_dead")).on("alive", () => status("node_alive"));
		for (const stage of ["started", "completed", "failed"]) node.on(`interview ${stage}`, () => status(`node_interview_${stage}`));
	}
}
