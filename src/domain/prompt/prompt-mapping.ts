import { AgentError } from '../errors/agent-error.ts';
import { type JsonObject, jsonObject } from '../json/json-object.ts';
import type { CodexInput, PromptBlock } from './prompt-block.ts';

type BlobResource = Extract<PromptBlock, { type: 'blobResource' }>;
type ImageBlock = Extract<PromptBlock, { type: 'image' }>;

/** Reads the content blocks of a prompt; a block that cannot be used is refused by name (S3.20, C020). */
export function parsePrompt(raw: readonly unknown[]): readonly PromptBlock[] {
  return raw.map(promptBlock);
}

/** One Codex input per block, in order (S3 table 2.2, S12.2). */
export function codexInput(blocks: readonly PromptBlock[]): readonly CodexInput[] {
  return blocks.map(inputOf);
}

/** True when the model gets an image, also from a resource; the address of one is only text (S3.25, S12.2). */
export function hasImage(blocks: readonly PromptBlock[]): boolean {
  return blocks.some((block) => inputOf(block).type === 'image');
}

function promptBlock(raw: unknown): PromptBlock {
  const block = jsonObject(raw);
  const type = block?.type;
  if (block === null || typeof type !== 'string') throw malformed('A content block needs a type');
  switch (type) {
    case 'text':
      return { type: 'text', text: requireText(block, 'text', type), raw };
    case 'image':
      return imageBlock(block, raw);
    case 'resource_link':
      return {
        type: 'resourceLink',
        uri: requireText(block, 'uri', type),
        name: optionalText(block, 'name', type) ?? '',
        raw,
      };
    case 'resource':
      return resourceBlock(block, raw);
    default:
      throw malformed(`Unsupported content block type: ${type}`);
  }
}

function imageBlock(block: JsonObject, raw: unknown): PromptBlock {
  const data = optionalText(block, 'data', 'image') ?? '';
  const uri = optionalText(block, 'uri', 'image');
  if (data === '' && (uri === null || uri === '')) throw malformed('An image content block needs data or a uri');
  return { type: 'image', data, uri, mimeType: requireText(block, 'mimeType', 'image'), raw };
}

function resourceBlock(block: JsonObject, raw: unknown): PromptBlock {
  const resource = jsonObject(block.resource);
  if (resource === null) throw malformed('A resource content block needs a resource');
  const uri = requireText(resource, 'uri', 'resource');
  if (typeof resource.text === 'string') return { type: 'textResource', uri, text: resource.text, raw };
  const mimeType = optionalText(resource, 'mimeType', 'resource');
  return { type: 'blobResource', uri, mimeType, blob: requireText(resource, 'blob', 'resource'), raw };
}

function inputOf(block: PromptBlock): CodexInput {
  switch (block.type) {
    case 'text':
      return text(block.text);
    case 'image':
      return imageInput(block);
    case 'resourceLink':
      return text(link(block.uri, block.name));
    case 'textResource':
      return text(embedded(block.uri, `ref="${attribute(block.uri)}"`, block.text));
    case 'blobResource':
      return blobInput(block);
  }
}

/** Bytes win; Codex refuses remote addresses, so those become a link (S12.2). */
function imageInput({ data, mimeType, uri }: ImageBlock): CodexInput {
  if (data !== '') return { type: 'image', url: dataUrl(mimeType, data) };
  const address = uri ?? '';
  return /^data:/i.test(address) ? { type: 'image', url: address } : text(`[@image](${address})`);
}

function blobInput({ uri, blob, mimeType }: BlobResource): CodexInput {
  if (mimeType !== null && /^image\//i.test(mimeType)) return { type: 'image', url: dataUrl(mimeType, blob) };
  const mime = attribute(mimeType || 'application/octet-stream');
  return text(embedded(uri, `ref="${attribute(uri)}" mimeType="${mime}" encoding="base64"`, blob));
}

function embedded(uri: string, attributes: string, content: string): string {
  return `${link(uri, '')}\n<context ${attributes}>\n${content}\n</context>`;
}

/** A link that the model can follow; without a name that of the file, else the bare address (S3 table 2.2). */
function link(uri: string, name: string): string {
  const shown = name === '' && uri.startsWith('file://') ? lastSegment(uri) : name;
  return shown === '' ? uri : `[@${shown}](${uri})`;
}

function lastSegment(fileUri: string): string {
  const segments = fileUri.slice('file://'.length).split('/');
  return segments.findLast((segment) => segment !== '') ?? '';
}

/** Keeps a value inside its quotes (S3.28). */
function attribute(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
}

function dataUrl(mimeType: string, base64: string): string {
  return `data:${mimeType};base64,${base64}`;
}

function text(value: string): CodexInput {
  return { type: 'text', text: value };
}

function requireText(block: JsonObject, key: string, type: string): string {
  const value = block[key];
  if (typeof value !== 'string') throw malformed(`A ${type} content block needs a string ${key}`);
  return value;
}

function optionalText(block: JsonObject, key: string, type: string): string | null {
  return block[key] === undefined || block[key] === null ? null : requireText(block, key, type);
}

function malformed(message: string): AgentError {
  return AgentError.invalidParams(message);
}
