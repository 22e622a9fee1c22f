import type { Json, JsonMap } from '../support/json.js';
import type { Draw } from './draw.js';
import { oddName, oddValue } from './odd.js';

/** Changes of any JSON tree, wherever: what a grammar doesn't think of. */

type Branch = Json[] | JsonMap;

const isBranch = (value: Json | undefined): value is Branch =>
  typeof value === 'object' && value !== null;

/** A copy with one change somewhere. */
export function mutated(draw: Draw, tree: Json): Json {
  const copy = structuredClone(tree);
  if (!isBranch(copy)) return oddValue(draw);
  const { branch, key } = place(draw, copy);
  change(draw, branch, key);
  return draw.odd(copy);
}

/** Any member of any branch, deep ones as likely as those above. */
function place(draw: Draw, root: Branch): { branch: Branch; key: string } {
  let branch = root;
  for (;;) {
    const keys = Object.keys(branch);
    if (keys.length === 0) return { branch, key: '0' };
    const key = draw.pick(keys);
    const child = read(branch, key);
    if (!isBranch(child) || draw.chance(0.2)) return { branch, key };
    branch = child;
  }
}

function change(draw: Draw, branch: Branch, key: string): void {
  draw.weighted<void>([
    [6, () => write(branch, key, oddValue(draw))],
    [2, () => write(branch, key, null)],
    [2, () => remove(branch, key)],
    [2, () => write(branch, key, [read(branch, key) ?? null])],
    [1, () => write(branch, key, { [oddName(draw)]: read(branch, key) ?? null })],
    [3, () => add(draw, branch)],
    [2, () => rename(branch, key, oddName(draw))],
    [1, () => rename(branch, key, `#${key}`)],
    [1, () => rename(branch, key, snake(key))],
    [1, () => write(branch, key, JSON.stringify(read(branch, key) ?? null))],
    [1, () => repeat(draw, branch, key)],
  ]);
}

const read = (branch: Branch, key: string): Json | undefined =>
  Array.isArray(branch) ? branch[Number(key)] : branch[key];

/** As a definition: a member named `__proto__` is one like any other. */
function write(branch: Branch, key: string, value: Json): void {
  if (Array.isArray(branch)) branch[Number(key)] = value;
  else {
    Object.defineProperty(branch, key, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
}

function remove(branch: Branch, key: string): void {
  if (Array.isArray(branch)) branch.splice(Number(key), 1);
  else delete branch[key];
}

function add(draw: Draw, branch: Branch): void {
  if (Array.isArray(branch)) branch.push(oddValue(draw));
  else write(branch, oddName(draw), oddValue(draw));
}

function rename(branch: Branch, key: string, to: string): void {
  if (Array.isArray(branch)) return;
  const value = read(branch, key) ?? null;
  delete branch[key];
  write(branch, to, value);
}

function repeat(draw: Draw, branch: Branch, key: string): void {
  if (!Array.isArray(branch)) return;
  const value = read(branch, key) ?? null;
  for (let n = draw.pick([1, 2, 31, 40]); n > 0; n -= 1) branch.push(structuredClone(value));
}

const snake = (name: string): string => name.replace(/[A-Z]/g, (one) => `_${one.toLowerCase()}`);
