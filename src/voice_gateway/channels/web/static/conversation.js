// Which conversation this tab is in, and the ways to say something in it.

import { get, stream } from "./api.js";
import * as live from "./live.js";

const KEY = "conversation";
export const conversation = { id: sessionStorage.getItem(KEY) ?? renew() };

function renew() {
  const bytes = crypto.getRandomValues(new Uint8Array(8));
  const id = `web-${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
  sessionStorage.setItem(KEY, id);
  return id;
}

export function startAnew() {
  conversation.id = renew();
}

// onEvent(type, data) gets `said` and what happens in the turn; the answer is what `ask --json` prints.
async function follow(path, body, onEvent = () => {}) {
  let answer = null;
  let turn = null;
  await stream(path, { ...body, conversation_id: conversation.id }, (type, data) => {
    if (type === "failed") throw new Error(data.error);
    if (type === "answer") {
      answer = data;
      return;
    }
    turn ??= data.turn;
    if (data.turn) live.take({ ...data, type });
    onEvent(type, data);
  });
  if (!answer) throw new Error("The connection ended before the answer came.");
  return { ...answer, turn };
}

export const ask = (text, onEvent, question) => follow("/api/ask", { text, question }, onEvent);
export const undo = (onEvent) => follow("/api/undo", {}, onEvent);

export function act(device, action, level) {
  return follow(`/api/devices/${encodeURIComponent(device.id)}`, level === undefined ? { action } : { action, level });
}

// What was said in this conversation before the page was loaded again; nothing where turns are not kept.
export async function before() {
  try {
    const { turns } = await get(`/api/turns?limit=20&conversation=${encodeURIComponent(conversation.id)}`);
    return turns.reverse();
  } catch {
    return [];
  }
}
