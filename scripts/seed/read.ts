import { readFileSync } from 'node:fs';
import { type Located, member, members, text } from '../../src/descriptor/located.js';
import { parseDescriptor } from '../../src/descriptor/parse.js';
import type { JsonObject } from '../../src/protocol/json.js';
import { UsageError } from '../cli.js';

/** An object of a seed file. */
export interface SeedObject {
  readonly creationId: string;
  readonly value: JsonObject;
  /** `seed.yaml:7:5`. */
  readonly place: string;
}

/** The objects of one type of an account. */
export interface SeedType {
  readonly name: string;
  readonly objects: readonly SeedObject[];
  readonly place: string;
}

/** An account of a seed file. */
export interface SeedAccount {
  readonly name: string;
  readonly user: string | undefined;
  readonly types: readonly SeedType[];
  readonly place: string;
}

/** Reads a seed file. Throws UsageError with the places of all that is wrong in it. */
export function readSeed(file: string): readonly SeedAccount[] {
  const { root, problems } = parseDescriptor(file, readText(file));
  const wrong = problems.map(({ at, message }) => `${placeOf(at)}: ${message}`);
  const refuse = (at: Located['at'], message: string): void => {
    wrong.push(`${placeOf(at)}: ${message}`);
  };
  if (root !== undefined && root.members === undefined)
    refuse(root.at, 'a seed file is an object of accounts by their names.');
  const accounts = members(root).map(({ name, nameAt, node }) => {
    for (const { name: key, nameAt: at } of members(node))
      if (key !== 'user' && key !== 'objects')
        refuse(at, `an account has "user" and "objects", not ${JSON.stringify(key)}.`);
    const types = member(node, 'objects');
    if (types?.members === undefined)
      refuse(types?.at ?? nameAt, 'an account needs "objects": types with objects by creation id.');
    const user = member(node, 'user');
    if (user !== undefined && text(user) === undefined) refuse(user.at, '"user" is a text.');
    return {
      ...{ name, user: text(user), place: placeOf(nameAt) },
      types: members(types).map((type) => readType(type, refuse)),
    };
  });
  refuseTwice(accounts, wrong);
  if (wrong.length > 0) throw new UsageError(wrong.join('\n'));
  return accounts;
}

type Refuse = (at: Located['at'], message: string) => void;

function readType({ name, nameAt, node }: ReturnType<typeof members>[number], refuse: Refuse) {
  const objects = members(node).map((one): SeedObject => {
    if (!/^[A-Za-z0-9_-]{1,255}$/.test(one.name))
      refuse(one.nameAt, 'a creation id has letters, digits, "-" and "_" alone.');
    if (one.node.members === undefined) refuse(one.node.at, `${one.name} is no object.`);
    const value = one.node.value as JsonObject;
    return { creationId: one.name, value, place: placeOf(one.nameAt) };
  });
  if (node.members === undefined) refuse(node.at, `${name} has its objects by creation id.`);
  return { name, objects, place: placeOf(nameAt) };
}

/** A creation id stands for one object of its account, whatever its type. */
function refuseTwice(accounts: readonly SeedAccount[], wrong: string[]): void {
  for (const { types } of accounts) {
    const seen = new Map<string, string>();
    for (const { creationId, place } of types.flatMap(({ objects }) => objects)) {
      const before = seen.get(creationId);
      if (before !== undefined)
        wrong.push(`${place}: the creation id ${creationId} stands at ${before} already.`);
      seen.set(creationId, place);
    }
  }
}

function placeOf({ file, line, column }: Located['at']): string {
  return `${file}:${line}:${column}`;
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    throw new UsageError(`${file} can't be read: ${error.message}.`);
  }
}
