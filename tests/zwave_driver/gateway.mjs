// What Z-Wave JS UI answers over its API: nodes as it lists them, groups, scenes, and errors in its own words.

import { InterviewStage, NodeStatus } from "zwave-js";

const TARGETS = { currentValue: "targetValue", currentMode: "targetMode", currentState: "targetState" };
const GROUPS = [{ id: 4096, name: "Lounge Lights", nodeIds: [20, 21] }];
const SCENES = [
	{ sceneid: 1, label: "Movie Night", values: [value(3, 38, "targetValue", 10), value(2, 37, "targetValue", false)] },
	{ sceneid: 2, label: "Come Home", values: [value(4, 98, "targetMode", 0), value(2, 37, "targetValue", true)] },
];

function value(nodeId, commandClass, property, wanted) {
	return { nodeId, commandClass, endpoint: 0, property, id: `${nodeId}-${commandClass}-0-${property}`, value: wanted, timeout: 0 };
}

const keyOf = (id, property = id.property) => [id.commandClass, id.endpoint ?? 0, property, id.propertyKey].filter((part) => part !== undefined).join("-");

/** One value as it is listed. */
function describe(node, valueId, known) {
	const metadata = node.getValueMetadata(valueId);
	const key = keyOf(valueId);
	const target = TARGETS[valueId.property] && keyOf(valueId, TARGETS[valueId.property]);
	const states = Object.entries(metadata.states ?? {});
	return [key, {
		id: `${node.id}-${key}`,
		nodeId: node.id,
		commandClass: valueId.commandClass,
		commandClassName: valueId.commandClassName,
		endpoint: valueId.endpoint ?? 0,
		property: valueId.property,
		propertyName: valueId.propertyName,
		propertyKey: valueId.propertyKey,
		propertyKeyName: valueId.propertyKeyName,
		type: metadata.type,
		readable: metadata.readable,
		writeable: metadata.writeable,
		label: metadata.label,
		ccSpecific: metadata.ccSpecific,
		stateless: false,
		unit: metadata.unit,
		min: metadata.min,
		max: metadata.max,
		list: states.length > 0,
		allowManualEntry: metadata.allowManualEntry,
		states: states.length > 0 ? states.map(([value, text]) => ({ text, value: metadata.type === "boolean" ? value === "true" : Number(value) })) : undefined,
		value: node.getValue(valueId),
		...(target && known.has(target) ? { isCurrentValue: true, targetValue: target } : {}),
		lastUpdate: node.getValueTimestamp(valueId),
	}];
}

function valuesOf(node) {
	const ids = node.getDefinedValueIDs();
	const known = new Set(ids.map((id) => keyOf(id)));
	return Object.fromEntries(ids.map((id) => describe(node, id, known)));
}

const virtual = (id, name, kind) => ({ id, name, virtual: true, kind, ready: true, available: true, failed: false, inited: true, values: {} });

/** The gateway in front of one driver. `without`: calls that another version of it does not have. */
export class Gateway {
	without = new Set();
	#driver;
	#listed = new Map(); // node id -> its values when it was last ready

	/** Undefined: its stick is away. */
	set driver(driver) {
		this.#driver = driver;
		this.#listed.clear();
	}

	async answer(api, request) {
		const { args } = request;
		try {
			if (!this.#driver) throw new Error("Z-Wave client not connected");
			if (!(api in API) || this.without.has(api)) throw new Error("Unknown API");
			const result = await API[api].call(this, this.#driver, ...args);
			return { success: true, message: "Success zwave api call", result, args, origin: request };
		} catch (error) {
			return { success: false, message: error.message, args, origin: request };
		}
	}

	/** Before a node is ready it has no values; in a new interview those of before stay (both recorded). */
	nodes(driver) {
		const real = [...driver.controller.nodes.values()].map((node) => {
			if (node.ready) this.#listed.set(node.id, valuesOf(node));
			const values = this.#listed.get(node.id);
			return {
				id: node.id,
				name: node.name ?? "",
				loc: node.location ?? "",
				status: NodeStatus[node.status],
				available: node.status !== NodeStatus.Dead,
				ready: values !== undefined,
				inited: values !== undefined,
				failed: false,
				interviewStage: InterviewStage[node.interviewStage],
				isControllerNode: node.isControllerNode,
				deviceClass: node.deviceClass && { basic: 4, generic: node.deviceClass.generic.key, specific: node.deviceClass.specific.key },
				values: values ?? {},
			};
		});
		return [virtual(255, "Broadcast", "broadcast"), ...GROUPS.map(({ id, name }) => virtual(id, name, "multicast")), ...real];
	}
}

const nodeOf = (driver, nodeId) => {
	const node = driver.controller.nodes.get(nodeId);
	if (!node) throw new Error(`Node ${nodeId} not found`);
	return node;
};

/** Z-Wave JS UI turns every error of a write into this status (recorded). */
async function writeValue(driver, id, value, options) {
	try {
		return await nodeOf(driver, id.nodeId).setValue(id, value, options);
	} catch {
		return { status: 2 };
	}
}

const API = {
	getInfo: (driver) => ({
		homeid: driver.controller.homeId,
		status: "driver ready",
		cntStatus: "",
		inclusionState: driver.controller.inclusionState,
		appVersion: "driver bridge",
		zwaveVersion: "15.29.0",
	}),
	getNodes(driver) {
		return this.nodes(driver);
	},
	writeValue,
	pollValue: (driver, id) => nodeOf(driver, id.nodeId).pollValue(id),
	pingNode: (driver, nodeId) => nodeOf(driver, nodeId).ping(),
	_getGroups: () => GROUPS,
	_getScenes: () => SCENES,
	// The answer comes at once, what it sends later (recorded).
	_activateScene: (driver, sceneid) => {
		const scene = SCENES.find((one) => one.sceneid === sceneid);
		if (!scene) throw new Error("No scene found with given sceneid");
		for (const one of scene.values) void writeValue(driver, one, one.value);
		return true;
	},
	setNodeName: (driver, nodeId, name) => {
		nodeOf(driver, nodeId).name = name;
		return true;
	},
	setNodeLocation: (driver, nodeId, location) => {
		nodeOf(driver, nodeId).location = location;
		return true;
	},
	// Answered at once, too; the interview goes on.
	refreshInfo: async (driver, nodeId) => {
		await nodeOf(driver, nodeId).refreshInfo();
	},
	rebuildNodeRoutes: (driver, nodeId) => driver.controller.rebuildNodeRoutes(nodeOf(driver, nodeId).id),
	beginRebuildingRoutes: (driver) => driver.controller.beginRebuildingRoutes(),
	startInclusion: (driver) => driver.controller.beginInclusion({ strategy: 2 }),
	stopInclusion: (driver) => driver.controller.stopInclusion(),
	startExclusion: (driver) => driver.controller.beginExclusion(),
	stopExclusion: (driver) => driver.controller.stopExclusion(),
	accessControlRefreshUsers: async (driver, nodeId) => {
		const lock = nodeOf(driver, nodeId).commandClasses["User Code"];
		const users = [];
		for (let userId = 1; userId <= 5; userId++) {
			const { userIdStatus } = await lock.get(userId);
			if (userIdStatus) users.push({ userId, active: userIdStatus === 1, userType: 0 });
		}
		return users;
	},
};
