// What simulated devices tell by themselves, and how Z-Wave JS UI passes it on over MQTT.

import { DoorLockMode } from "@zwave-js/cc";
import { BatteryCCReport } from "@zwave-js/cc/BatteryCC";
import { CentralSceneCCNotification, CentralSceneCCSupportedGet, CentralSceneCCSupportedReport } from "@zwave-js/cc/CentralSceneCC";
import { NotificationCCGet, NotificationCCReport } from "@zwave-js/cc/NotificationCC";
import { CommandClasses } from "@zwave-js/core";
import { ccCaps, createMockZWaveRequestFrame } from "@zwave-js/testing";

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
function written(cc, bytes) {
	cc.payload = Buffer.from(bytes);
	return cc;
}

let pressed = 0; // the same number again is the same frame again

function frame(device, { door, battery, button, key, notification }) {
	const nodeId = device.id;
	if (button !== undefined) {
		pressed = (pressed + 1) % 256;
		const facts = { nodeId, sequenceNumber: pressed, keyAttribute: key, sceneNumber: button };
		return written(new CentralSceneCCNotification(facts), [pressed, key, button]);
	}
	if (battery !== undefined) return new BatteryCCReport({ nodeId, level: battery, isLow: battery === 0 });
	const [notificationType, notificationEvent, ...more] = door ? [ACCESS, DOOR[door]] : notification;
	if (notificationType === ACCESS && LOCKING.includes(notificationEvent)) device.state.set("DoorLock_currentMode", DoorLockMode.Secured);
	if (notificationType === ACCESS && UNLOCKING.includes(notificationEvent)) device.state.set("DoorLock_currentMode", DoorLockMode.Unsecured);
	const eventParameters = more.length > 0 ? Buffer.from(more) : undefined;
	return new NotificationCCReport({ nodeId, notificationType, notificationEvent, eventParameters });
}

/** A device tells something by itself. */
export const report = (device, told) => device.sendToController(createMockZWaveRequestFrame(frame(device, told), { ackRequested: false }));

/** Everything that changes or happens: by its name topics, and once more as events, which may be switched on. */
export function publishReports(driver, client, gateway) {
	const clean = (text) => String(text).replaceAll(/\s/g, "_").replaceAll(/[^A-Za-z0-9\-_]/g, "");
	const topicOf = (node, className, endpoint, ...names) =>
		["zwave", node.location, node.name, className.toLowerCase(), `endpoint_${endpoint ?? 0}`, ...names]
			.filter((part) => part !== undefined && part !== "")
			.map(clean)
			.join("/");
	const publish = (topic, body, retain) => client.publish(topic, JSON.stringify({ time: Date.now(), ...body }), { qos: 1, retain });
	const event = (node, name, ...data) =>
		client.publish(`zwave/_EVENTS/${gateway}/node/${name}`, JSON.stringify({ data: [{ id: node.id, name: node.name, location: node.location }, ...data] }), { qos: 1 });
	const taking = new Map(); // topic -> timer

	for (const node of driver.controller.nodes.values()) {
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
		node.on("value added", changed).on("value updated", changed).on("value notification", happened).on("notification", notified);
	}
}
