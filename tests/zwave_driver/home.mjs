// The simulated devices: what each can do, and how it behaves where the stock simulator does not, or does it wrongly.

import { ColorComponent, ColorComponentMap, SwitchType } from "@zwave-js/cc";
import {
	BarrierOperatorCCGet,
	BarrierOperatorCCReport,
	BarrierOperatorCCSet,
	BarrierOperatorCCSignalingCapabilitiesGet,
	BarrierOperatorCCSignalingCapabilitiesReport,
} from "@zwave-js/cc/BarrierOperatorCC";
import { BinarySwitchCCSet } from "@zwave-js/cc/BinarySwitchCC";
import { ColorSwitchCCSet } from "@zwave-js/cc/ColorSwitchCC";
import { DoorLockCCOperationSet } from "@zwave-js/cc/DoorLockCC";
import { MultilevelSwitchCCSet } from "@zwave-js/cc/MultilevelSwitchCC";
import { SoundSwitchCCTonePlaySet } from "@zwave-js/cc/SoundSwitchCC";
import { ThermostatModeCCSet } from "@zwave-js/cc/ThermostatModeCC";
import { ThermostatOperatingStateCCGet, ThermostatOperatingStateCCReport } from "@zwave-js/cc/ThermostatOperatingStateCC";
import { ThermostatSetpointCCSet } from "@zwave-js/cc/ThermostatSetpointCC";
import { WindowCoveringCCSet } from "@zwave-js/cc/WindowCoveringCC";
import { CommandClasses } from "@zwave-js/core";
import { ccCaps, createMockZWaveRequestFrame } from "@zwave-js/testing";
import { DOOR_EVENTS, LOCK_EVENTS, answering, battery, buttons, notifies, report, written } from "./reporting.mjs";

const has = (name, version, more = {}) => ccCaps({ ccId: CommandClasses[name], isSupported: true, version, ...more });
const switchable = () => has("Binary Switch", 2);
const level = (primarySwitchType, travelTime = 0) => has("Multilevel Switch", 4, { primarySwitchType, travelTime });
const supervised = () => has("Supervision", 1);
const colour = (...components) =>
	has("Color Switch", 3, { colorComponents: Object.fromEntries(components.map((component) => [component, 0])) });
const sound = (...tones) =>
	has("Sound Switch", 2, { defaultToneId: 1, defaultVolume: 40, tones: tones.map((name) => ({ name, duration: 30 })) });
const configuration = () =>
	has("Configuration", 4, {
		parameters: [
			{ "#": 20, valueSize: 2, name: "Power Limit", minValue: 0, maxValue: 3600, defaultValue: 2500 },
			{ "#": 21, valueSize: 1, name: "Report Threshold", minValue: 0, maxValue: 100, defaultValue: 10 },
		],
	});

const USED = { 0: 37.125, 2: 412.5, 4: 229.8, 5: 1.795 }; // by scale: kWh, W, V, A
const meter = () =>
	has("Meter", 3, { meterType: 1, supportedScales: Object.keys(USED).map(Number), supportedRateTypes: [1], supportsReset: true, getValue: (scale) => USED[scale] });

const SETPOINTS = { 1: { minValue: 7, maxValue: 28, defaultValue: 20, scale: "°C" }, 2: { minValue: 18, maxValue: 32, defaultValue: 25, scale: "°C" } };
const thermostat = () => [
	has("Thermostat Mode", 3, { supportedModes: [0, 1, 2, 3] }),
	has("Thermostat Setpoint", 3, { setpoints: SETPOINTS }),
	has("Thermostat Operating State", 1),
	has("Multilevel Sensor", 11, { sensors: { 1: { supportedScales: [0] } }, getValue: () => 21.4 }),
];
const BOTTOM = 13, SLATS = 23;
const covering = () => has("Window Covering", 1, { supportedParameters: [BOTTOM, SLATS], travelTime: 1500 });
const barrier = () => has("Barrier Operator", 1);

const { "Warm White": WARM, "Cold White": COLD, Red, Green, Blue } = ColorComponent;
const DIMMER = SwitchType["Off/On"];
const FAN = { genericDeviceClass: 17, specificDeviceClass: 8 };
const SIREN = { genericDeviceClass: 16, specificDeviceClass: 5 };

export const HOME = [
	{ id: 2, name: "Ceiling Light", location: "Living Room", classes: [switchable(), supervised()] },
	{ id: 3, name: "Floor Lamp", location: "Living Room", classes: [level(DIMMER)] },
	{ id: 4, name: "Front Door Lock", location: "Hallway", classes: [has("Door Lock", 4), has("User Code", 2, { numUsers: 5 }), notifies(LOCK_EVENTS)] },
	{ id: 5, name: "Space Heater", location: "Garage", classes: [switchable()] },
	{ id: 6, name: "Window Blind", location: "Bedroom", classes: [level(SwitchType["Down/Up"], 2000), supervised()] },
	{ id: 7, name: "Coffee Maker", location: "Kitchen", classes: [switchable(), configuration()] },
	{ id: 8, name: "Back Door", location: "Hallway", classes: [notifies({ ...DOOR_EVENTS, 7: [3] }), battery()] },
	{ id: 10, name: "Washing Machine", location: "Laundry", classes: [switchable(), meter()] },
	{ id: 12, name: "Thermostat", location: "Office", classes: thermostat() },
	{ id: 13, name: "Garage Door", location: "Garage", classes: [barrier()] },
	{ id: 14, name: "Roller Shutter", location: "Guest Room", classes: [covering(), supervised()] },
	{ id: 15, name: "Alarm Siren", location: "Attic", classes: [switchable()], built: SIREN },
	{ id: 16, name: "Desk Lamp", location: "Office", classes: [level(DIMMER, 3000)] }, // tells the end of its ramp
	{ id: 17, name: "Wall Lamp", location: "Office", classes: [level(DIMMER, 3000), supervised()] },
	{ id: 18, name: "Sunrise Lamp", location: "Nursery", classes: [level(DIMMER, 30_000)] },
	{ id: 20, name: "Mood Light", location: "Lounge", classes: [level(DIMMER), colour(WARM, Red, Green, Blue), supervised()] },
	{ id: 21, name: "Reading Lamp", location: "Lounge", classes: [level(DIMMER), colour(WARM, COLD)] },
	{ id: 22, name: "Airflow", location: "Lounge", classes: [level(DIMMER)], built: FAN },
	{ id: 23, name: "Door Chime", location: "Hallway", classes: [sound("Ding Dong", "Westminster")] },
	{ id: 30, name: "Wall Remote", location: "Stairs", classes: [buttons(4)] },
	{ id: 31, name: "Doorbell", location: "Hallway", classes: [buttons(1)] },
	{ id: 32, name: "Smoke Alarm", location: "Kitchen", classes: [notifies({ 1: [2, 3] }), battery()] },
	{ id: 33, name: "Leak Sensor", location: "Bathroom", classes: [notifies({ 5: [2] })] },
];

export const faults = new Map(); // node id -> "dead", "jammed", "ignoring" or "refusing"

const COMMANDS = [
	BarrierOperatorCCSet,
	BinarySwitchCCSet,
	ColorSwitchCCSet,
	DoorLockCCOperationSet,
	MultilevelSwitchCCSet,
	SoundSwitchCCTonePlaySet,
	ThermostatModeCCSet,
	ThermostatSetpointCCSet,
	WindowCoveringCCSet,
];

/** A device that acknowledges the radio frame of a command and does nothing; a supervised one may say that it failed. */
const deaf = {
	handleCC(_controller, self, received) {
		const fault = faults.get(self.id);
		if (received instanceof BarrierOperatorCCSet && fault === "jammed") return; // it starts, and stops half-way
		if (!fault || !COMMANDS.some((command) => received instanceof command)) return;
		if (received instanceof DoorLockCCOperationSet && fault === "jammed") setTimeout(() => void report(self, { notification: [6, 11] }), 300).unref();
		return { action: fault === "refusing" ? "fail" : "ok" };
	},
};

const LAST_LEVEL = 255;
const MEMORY = "level before it went off";

/** "On" is as bright as it was: the stock simulator would go to 255 of 99. */
const remembering = {
	handleCC(_controller, self, received) {
		if (!(received instanceof MultilevelSwitchCCSet)) return;
		const now = self.state.get("MultilevelSwitch_currentValue");
		if (now) self.state.set(MEMORY, now);
		if (received.targetValue === LAST_LEVEL) received.targetValue = self.state.get(MEMORY) ?? 99;
	},
};

/** The check of the stock simulator refuses what is within the bounds. */
const heating = {
	handleCC(controller, self, received) {
		if (received instanceof ThermostatOperatingStateCCGet) {
			return { action: "sendCC", cc: new ThermostatOperatingStateCCReport({ nodeId: controller.ownNodeId, state: self.state.get("operating") ?? 0 }) };
		}
		if (!(received instanceof ThermostatSetpointCCSet)) return;
		const { setpointType, value, scale } = received;
		const bounds = SETPOINTS[setpointType];
		if (!bounds || value < bounds.minValue || value > bounds.maxValue) return { action: "fail" };
		self.state.set(`ThermostatSetpoint_setpoint_${setpointType}`, value);
		self.state.set(`ThermostatSetpoint_scale_${setpointType}`, scale);
		return { action: "ok" };
	},
};

const CLOSED = 0, CLOSING = 252, STOPPED = 253, OPENING = 254, OPEN = 255;
const TRAVEL_MS = 1200;
export const BARRIER = "barrier";

/** A garage door on its way tells so, and where it ends; any number but 0 opens it (recorded). */
const garage = {
	handleCC(controller, self, received) {
		const nodeId = controller.ownNodeId;
		const told = () => written(new BarrierOperatorCCReport({ nodeId }), [self.state.get(BARRIER) ?? CLOSED]);
		if (received instanceof BarrierOperatorCCSignalingCapabilitiesGet) {
			return { action: "sendCC", cc: written(new BarrierOperatorCCSignalingCapabilitiesReport({ nodeId, supportedSubsystemTypes: [] }), [0]) };
		}
		if (received instanceof BarrierOperatorCCGet) return { action: "sendCC", cc: told() };
		if (!(received instanceof BarrierOperatorCCSet)) return;
		const end = received.targetState === CLOSED ? CLOSED : OPEN;
		if ((self.state.get(BARRIER) ?? CLOSED) === end) return { action: "ok" };
		self.state.set(BARRIER, end === OPEN ? OPENING : CLOSING);
		setTimeout(() => {
			self.state.set(BARRIER, faults.get(self.id) === "jammed" ? STOPPED : end);
			void self.sendToController(createMockZWaveRequestFrame(told(), { ackRequested: false }));
		}, self.state.get("travel") ?? TRAVEL_MS).unref();
		return { action: "ok" };
	},
};

export const behaviours = [deaf, remembering, heating, garage, ...answering];

// Reading these frames, which only a device does, fails in this version of the driver.
ColorSwitchCCSet.from = function from(raw, ctx) {
	const names = Object.fromEntries(Object.entries(ColorComponentMap).map(([name, component]) => [component, name]));
	const count = raw.payload[0] & 0b11111;
	const pairs = Array.from({ length: count }, (_, at) => [names[raw.payload[1 + 2 * at]], raw.payload[2 + 2 * at]]);
	return new this({ nodeId: ctx.sourceNodeId, ...Object.fromEntries(pairs) });
};
BarrierOperatorCCSet.from = function from(raw, ctx) {
	return new this({ nodeId: ctx.sourceNodeId, targetState: raw.payload[0] });
};
