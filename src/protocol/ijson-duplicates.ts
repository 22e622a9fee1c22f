import { excerpt } from './excerpt.js';
import { escapeToken } from './json-pointer.js';

/** One array or object that is open at the point reached. */
interface Frame {
  /** Member names so far; null for an array. */
  readonly names: Set<string> | null;
  /** The member or item that is being read, as a pointer token. */
  token: string;
  index: number;
}

/**
 * Finds the first member that an object has twice, in text that is known to be JSON: a sentence
 * that names it and its JSON Pointer. Slow and sure: for a request that is refused anyway.
 */
export function findDuplicate(text: string): string {
  const frames: Frame[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charAt(at);
    const frame = frames.at(-1);
    if (code === '{') {
      frames.push({ names: new Set(), token: '', index: 0 });
    } else if (code === '[') {
      frames.push({ names: null, token: '0', index: 0 });
    } else if (code === '}' || code === ']') {
      frames.pop();
    } else if (code === ',' && frame?.names === null) {
      frame.index += 1;
      frame.token = String(frame.index);
    } else if (code === '"') {
      const end = endOfString(text, at);
      if (frame !== undefined && frame.names !== null && isName(text, end)) {
        const name: unknown = JSON.parse(text.slice(at, end));
        frame.token = escapeToken(String(name));
        if (frame.names.has(String(name))) return describe(String(name), frames);
        frame.names.add(String(name));
      }
      at = end - 1;
    }
  }
  return 'An object has a member twice.';
}

/** The position after a string's closing quote. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charAt(at) !== '"') at += text.charAt(at) === '\\' ? 2 : 1;
  return at + 1;
}

function isName(text: string, end: number): boolean {
  let at = end;
  while (at < text.length && ' \t\r\n'.includes(text.charAt(at))) at += 1;
  return text.charAt(at) === ':';
}

function describe(name: string, frames: readonly Frame[]): string {
  const path = frames.map((frame) => `/${frame.token}`).join('');
  return `An object has the member "${excerpt(name)}" twice (${excerpt(path)}).`;
}
