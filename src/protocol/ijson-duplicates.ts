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

/** Where a text stands that is part of a longer one: the outermost container goes on from there. */
export interface Place {
  /** Its JSON Pointer. */
  readonly path: string;
  /** How many items it has before the text. */
  readonly index: number;
  /** Whether it has a member of that name before the text. */
  has(name: string): boolean;
}

const WHOLE: Place = { path: '', index: 0, has: () => false };

/**
 * Finds the first member that an object has twice, in text that is known to be JSON: a sentence
 * that names it and its JSON Pointer. Slow and sure: for a request that is refused anyway.
 */
export function findDuplicate(text: string, place: Place = WHOLE): string {
  const frames: Frame[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charAt(at);
    const frame = frames.at(-1);
    if (code === '{') {
      frames.push({ names: new Set(), token: '', index: 0 });
    } else if (code === '[') {
      const index = frames.length === 0 ? place.index : 0;
      frames.push({ names: null, token: String(index), index });
    } else if (code === '}' || code === ']') {
      frames.pop();
    } else if (code === ',' && frame?.names === null) {
      frame.index += 1;
      frame.token = String(frame.index);
    } else if (code === '"') {
      const end = endOfString(text, at);
      if (frame !== undefined && frame.names !== null && isName(text, end)) {
        const name = String(JSON.parse(text.slice(at, end)));
        frame.token = escapeToken(name);
        if (frame.names.has(name) || (frames.length === 1 && place.has(name))) {
          return describeDuplicate(name, place.path + pathOf(frames));
        }
        frame.names.add(name);
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

function pathOf(frames: readonly Frame[]): string {
  return frames.map((frame) => `/${frame.token}`).join('');
}

/** Says that an object has a member twice, whose JSON Pointer is `path`. */
export function describeDuplicate(name: string, path: string): string {
  return `An object has the member "${excerpt(name)}" twice (${excerpt(path)}).`;
}
