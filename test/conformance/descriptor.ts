import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { viewCapability } from '../../scripts/generator/descriptor/view.js';
import { parseDescriptor } from '../../scripts/generator/load/parse.js';
import { buildModel } from '../../scripts/generator/model/index.js';
import type { ModelProperty, ModelType } from '../../scripts/generator/model.js';

/** A type as its descriptor describes it, and the capability that has it. */
export interface DescribedType {
  readonly type: ModelType;
  readonly capability: string;
}

/** The types of a server, by name: a type refers to others by theirs. */
export type World = ReadonlyMap<string, DescribedType>;

/** All types of some descriptors; paths are relative to this file, or whole. */
export function describedWorld(...paths: readonly string[]): World {
  const views = paths.map((path) => {
    const file = fileURLToPath(new URL(path, import.meta.url));
    const base = basename(file).replace(/[.][a-z]+$/, '');
    const { root } = parseDescriptor(path, readFileSync(file, 'utf8'));
    if (root === undefined) throw new Error(`${path} can't be read.`);
    const start = { file: path, line: 1, column: 1 };
    return viewCapability({ file: path, base, start, root });
  });
  const { capabilities } = buildModel(views);
  return new Map(
    capabilities.flatMap(({ urn, types }) =>
      types.map((type) => [type.name, { type, capability: urn }] as const),
    ),
  );
}

/** Properties that are on the wire: all but internal and secret ones. */
export function visible(type: ModelType): readonly ModelProperty[] {
  return type.properties.filter(({ access }) => access !== 'internal' && access !== 'secret');
}

/** What a create may give, references and blobs too. */
export function writable(type: ModelType): readonly ModelProperty[] {
  return type.properties.filter(
    ({ access, role }) => (access === 'mutable' || access === 'immutable') && role === undefined,
  );
}

/** What a create may give without anything else being there: neither references nor blobs. */
export function givable(type: ModelType): readonly ModelProperty[] {
  return writable(type).filter(({ blob, reference }) => !blob && reference === undefined);
}

/** Whether a property is of what no two objects may share. */
export function isUnique(type: ModelType, { name }: ModelProperty): boolean {
  return type.uniques.some(({ properties }) => properties.some((one) => one.name === name));
}
