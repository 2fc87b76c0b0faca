// The gateway's API: JSON, and server-sent events that are answered to a POST.

export class Refused extends Error {
  constructor(status, reason) {
    super(reason);
    this.status = status;
  }
}

// The token was revoked, or another was made; the page comes back to where it was.
export function toLogin() {
  location.replace(`/login.html${location.hash}`);
}

async function reasonOf(response) {
  try {
    const body = await response.json();
    return body.error?.message ?? body.error ?? body.detail ?? body.reason ?? response.statusText;
  } catch {
    return response.statusText || `The gateway answered ${response.status}.`;
  }
}

async function send(method, path, body, accept = "application/json") {
  const headers = { Accept: accept };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let response;
  try {
    response = await fetch(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  } catch {
    throw new Refused(0, "The gateway cannot be reached.");
  }
  if (response.status === 401) toLogin();
  if (!response.ok) throw new Refused(response.status, String(await reasonOf(response)));
  return response;
}

async function json(method, path, body) {
  const response = await send(method, path, body);
  return response.status === 204 ? null : response.json();
}

export const get = (path) => json("GET", path);
export const post = (path, body = {}) => json("POST", path, body);
export const remove = (path) => json("DELETE", path);

// Calls onEvent(type, data) for each event, until the answer ends.
export async function stream(path, body, onEvent) {
  const response = await send("POST", path, body, "text/event-stream");
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    rest = (rest + (value ?? "")).replaceAll("\r\n", "\n");
    const blocks = rest.split("\n\n");
    rest = done ? "" : blocks.pop();
    for (const block of blocks) dispatch(block, onEvent);
    if (done) return;
  }
}

function dispatch(block, onEvent) {
  let type = "message";
  const data = [];
  for (const line of block.split("\n")) {
    if (line.startsWith("event:")) type = line.slice(6).trim();
    else if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
  }
  if (data.length) onEvent(type, JSON.parse(data.join("\n")));
}
