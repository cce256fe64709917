const maxRead = 2000;
const maxShown = 160;
const maxSentences = 2;

/** What Codex and its MCP library put in front of every error; it says nothing (S2.168). */
const wrappers = [
  /^tool discovery failed$/i,
  /^mcp startup failed$/i,
  /^handshaking with mcp server failed$/i,
  /^json-rpc error$/i,
  /^startup error$/i,
  /^error$/i,
  /^mcp client for .* failed to start$/i,
  /^-32\d{3}$/,
];

/** A path of names in Rust code, such as `rmcp::transport::Worker`. */
const codePath = /\w+::\w+::/;

/** An error of an MCP server as Codex tells it, short and for people, escaped for Markdown (S2.168). */
export function mcpErrorText(error: string): string {
  const collapsed = error.slice(0, maxRead).trim().replace(/\s+/g, ' ');
  const segments = collapsed.split(': ').map(withoutCodePaths);
  const telling = segments.filter((segment) => segment !== '' && !wrappers.some((wrapper) => wrapper.test(segment)));
  const text = telling.length === 0 ? collapsed : telling.join(': ');
  const sentences = text.split(/(?<=[.!?]) /).slice(0, maxSentences);
  return escaped(shortened(sentences.join(' ')));
}

function withoutCodePaths(segment: string): string {
  const words = segment.split(' ').filter((word) => !codePath.test(word));
  return words.join(' ').trim();
}

function shortened(text: string): string {
  const characters = [...text];
  return characters.length > maxShown ? `${characters.slice(0, maxShown).join('')}…` : text;
}

function escaped(text: string): string {
  return text.replace(/[\\`*_[\]<>~]/g, '\\$&');
}
