import type { Slices } from '../runtime/slices.js';
import { define } from './ijson-slices.js';
import { Splitter, type Step } from './ijson-split.js';
import type { JsonValue } from './json.js';

/** Octets of a piece, which the native parser reads in about 2 ms. */
const PIECE = 131_072;
/** Pieces that are looked at for places to cut before it is asked whether the slice is over. */
const STRIDE = 4;

type Container = JsonValue[] | Record<string, JsonValue>;

/** A container that is put together, and its name in the one around it. */
interface Frame {
  readonly name: string;
  readonly value: Container;
}

/**
 * Returns what `JSON.parse` makes of a JSON text that this server has written, but in slices.
 * Another parser also judges the text of clients (ijson-slices.ts). Rejects with what `slices.next`
 * throws.
 */
export async function parseJsonInSlices(
  text: string,
  slices: Slices,
  piece = PIECE,
): Promise<JsonValue> {
  if (text.length <= piece) {
    if (slices.isOver()) await slices.next();
    return JSON.parse(text) as JsonValue;
  }
  const octets = Buffer.from(text);
  const splitter = new Splitter(octets, piece, Number.POSITIVE_INFINITY);
  while (!splitter.advance(STRIDE * piece)) if (slices.isOver()) await slices.next();
  const root: JsonValue[] = [];
  const frames: Frame[] = [{ name: '', value: root }];
  for (const step of splitter.steps) {
    if (slices.isOver()) await slices.next();
    take(step, octets, frames);
  }
  const [value] = root;
  if (value === undefined || frames.length !== 1) throw new SyntaxError('The text is no JSON.');
  return value;
}

function take({ kind, from, to, isArray }: Step, octets: Buffer, frames: Frame[]): void {
  const outer = frames[frames.length - 1];
  if (outer === undefined) throw new SyntaxError('The text is no JSON.');
  if (kind === 'open') {
    const [name = ''] = Array.isArray(outer.value)
      ? []
      : Object.keys(JSON.parse(`{${octets.toString('utf8', from, to)}null}`) as object);
    frames.push({ name, value: isArray ? [] : {} });
  } else if (kind === 'close') {
    frames.pop();
    const around = frames[frames.length - 1];
    if (around !== undefined) put(around.value, outer.name, outer.value);
  } else if (kind === 'run') {
    append(outer.value, octets.toString('utf8', from, to));
  } else if (kind === 'broken') {
    throw new SyntaxError('The text is no JSON.');
  }
}

/** Adds whole items or members, with the commas between them. */
function append(container: Container, run: string): void {
  if (Array.isArray(container)) {
    for (const item of JSON.parse(`[${run}]`) as JsonValue[]) container.push(item);
    return;
  }
  const members = JSON.parse(`{${run}}`) as Record<string, JsonValue>;
  for (const [name, member] of Object.entries(members)) define(container, name, member);
}

function put(container: Container, name: string, value: JsonValue): void {
  if (Array.isArray(container)) container.push(value);
  else define(container, name, value);
}
