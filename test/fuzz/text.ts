import type { Json } from '../support/json.js';
import type { Draw } from './draw.js';

/**
 * The verdict on a body that is no I-JSON, or no request at all; `any`: the answer decides.
 */
export type Verdict = 'any' | 'notJSON';

export interface Body {
  readonly octets: Buffer;
  readonly verdict: Verdict;
}

/** JSON that no serialiser writes but that is JSON: it must be read. */
const LEGAL = ['1.0', '1E2', '-0', '1e-3', '"\\u0041"', '"\\/"', '"\\ud83d\\ude00"', '[ ]', '{\n}'];

/** Neither JSON nor I-JSON (RFC 7493): notJSON. */
const ILLEGAL = [
  '01',
  '+1',
  '.5',
  '1.',
  '0x10',
  'NaN',
  'Infinity',
  'undefined',
  'True',
  "'a'",
  '"\\x41"',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"a\nb"',
  '"\t"',
  '[1,]',
  '[,1]',
  '{"a":1,}',
  '{a:1}',
  '{"a" 1}',
  '{"a":1,"a":1}',
  '{"a":1,"\\u0061":2}',
  '{"x":{"b":[{"__proto__":1,"__proto__":1}]}}',
  '/**/1',
  '1 2',
  ']',
];

/** Whether they are read is for each place to say. */
const DOUBTFUL = [
  '1e400',
  '-1e400',
  '1e-400',
  '9007199254740993',
  '123456789012345678901234567890',
  '0.1000000000000000055511151231257827',
  `1${'0'.repeat(400)}`,
  `0.${'0'.repeat(400)}1`,
  '"\\u0000"',
  '"\\ufdd0\\uffff"',
];

const MARK = '@@fuzz-mark@@';

/** The octets of a request, most often as JSON.stringify writes them. */
export function bodyOf(draw: Draw, tree: Json): Body {
  if (draw.chance(0.88)) return { octets: Buffer.from(JSON.stringify(tree)), verdict: 'any' };
  draw.odd(null);
  return draw.weighted<Body>([
    [2, () => spliced(draw, tree, LEGAL, 'any')],
    [4, () => spliced(draw, tree, ILLEGAL, 'notJSON')],
    [3, () => spliced(draw, tree, DOUBTFUL, 'any')],
    [2, () => doubled(draw, JSON.stringify(tree))],
    [2, () => octets(draw, JSON.stringify(tree))],
    [
      1,
      () => ({
        octets: Buffer.from(JSON.stringify(tree, null, '\t\r\n '.slice(0, 3))),
        verdict: 'any',
      }),
    ],
    [1, () => deep(draw, tree)],
  ]);
}

/** A text in place of some value. */
function spliced(draw: Draw, tree: Json, texts: readonly string[], verdict: Verdict): Body {
  const marked = structuredClone(tree);
  const places: { branch: object; key: string }[] = [];
  const collect = (value: Json): void => {
    if (typeof value !== 'object' || value === null || places.length > 200) return;
    for (const [key, child] of Object.entries(value)) {
      places.push({ branch: value, key });
      collect(child);
    }
  };
  collect(marked);
  if (places.length === 0) return { octets: Buffer.from(draw.pick(texts)), verdict };
  const { branch, key } = draw.pick(places);
  Object.defineProperty(branch, key, { value: MARK, enumerable: true, configurable: true });
  const text = JSON.stringify(marked).replace(`"${MARK}"`, () => draw.pick(texts));
  return { octets: Buffer.from(text), verdict };
}

/** One object says a name twice. */
function doubled(draw: Draw, text: string): Body {
  const places = [...text.matchAll(/[[{:,]\{("(?:[^"\\]|\\.)*"):/g)];
  if (places.length === 0) return { octets: Buffer.from(text), verdict: 'any' };
  const place = draw.pick(places);
  const at = place.index + 2;
  const doubledText = `${text.slice(0, at)}${place[1]}:0,${text.slice(at)}`;
  return { octets: Buffer.from(doubledText), verdict: isInText(text, at) ? 'any' : 'notJSON' };
}

/** Whether a place lies inside of a string: an even number of quotes opens none. */
function isInText(text: string, at: number): boolean {
  let within = false;
  for (let n = 0; n < at; n += 1) {
    if (text[n] === '\\') n += 1;
    else if (text[n] === '"') within = !within;
  }
  return within;
}

const NO_UTF8 = [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe2, 0x82]];

function octets(draw: Draw, text: string): Body {
  const whole = Buffer.from(text);
  const at = draw.integer(0, whole.length - 1);
  const broken = (...parts: readonly (Buffer | readonly number[])[]): Body => ({
    octets: Buffer.concat(parts.map((part) => Buffer.from(part))),
    verdict: 'notJSON',
  });
  return draw.weighted<Body>([
    [1, () => broken([0xef, 0xbb, 0xbf], whole)],
    [1, () => broken(whole.subarray(0, at), draw.pick(NO_UTF8), whole.subarray(at))],
    [1, () => broken(whole.subarray(0, Math.max(0, whole.length - 1 - at)))],
    [1, () => broken(whole, Buffer.from(draw.pick(['x', '{}', ',', '\u0000', '\ufeff'])))],
    [1, () => broken(Buffer.from(text, 'utf16le'))],
    [1, () => ({ ...broken(flipped(draw, whole)), verdict: 'any' })],
  ]);
}

function flipped(draw: Draw, whole: Buffer): Buffer {
  const copy = Buffer.from(whole);
  const at = draw.integer(0, copy.length - 1);
  copy[at] = (copy[at] ?? 0) ^ (1 << draw.integer(0, 6));
  return copy;
}

/** Nesting near and far beyond any bound. */
function deep(draw: Draw, tree: Json): Body {
  const levels = draw.pick([50, 90, 100, 110, 500, 5000, 40_000]);
  const nest = `${'['.repeat(levels)}${']'.repeat(levels)}`;
  return spliced(draw, tree, [nest], 'any');
}
