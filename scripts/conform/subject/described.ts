import { basename } from 'node:path';
import { checkDescriptors } from '../../generator/check/index.js';
import { type CapabilityView, viewCapability } from '../../generator/descriptor/view.js';
import { parseDescriptor } from '../../generator/load/parse.js';
import { buildModel } from '../../generator/model/index.js';
import type { Model, ModelProperty, ModelType, Problem } from '../../generator/model.js';
import type { Json } from '../client/json.js';

/** A type as its descriptor describes it, and the capability that has it. */
export interface DescribedType {
  readonly type: ModelType;
  readonly capability: string;
}

/** The types of a server, by name: a type refers to others by theirs. */
export type World = ReadonlyMap<string, DescribedType>;

/** A descriptor that is no YAML or JSON, and where. */
export class DescriptorError extends Error {
  override readonly name = 'DescriptorError';
  readonly problems: readonly Problem[];

  constructor(file: string, problems: readonly Problem[]) {
    const told = problems.map(
      ({ at, message }) => `${at.file}:${at.line}:${at.column}: ${message}`,
    );
    super(told.length === 0 ? `${file}: this is no descriptor.` : told.join('\n'));
    this.problems = problems;
  }
}

/** A descriptor's text and what it is called where a place in it is told. */
export interface DescriptorSource {
  readonly file: string;
  readonly text: string;
}

/** All types of some descriptors. They are taken as they are: `generate` is what checks them. */
export function worldOf(sources: readonly DescriptorSource[]): World {
  const views = sources.map(({ file, text }) => {
    const { root, problems } = parseDescriptor(file, text);
    if (root === undefined) throw new DescriptorError(file, problems);
    const base = basename(file).replace(/[.][a-z]+$/, '');
    return viewCapability({ file, base, start: { file, line: 1, column: 1 }, root });
  });
  const { capabilities } = modelOf(views, sources.map(({ file }) => file).join(', '));
  return new Map(
    capabilities.flatMap(({ urn, types }) =>
      types.map((type) => [type.name, { type, capability: urn }] as const),
    ),
  );
}

/** A model that can't be built is a descriptor's fault: the generator's rules know where. */
function modelOf(views: readonly CapabilityView[], files: string): Model {
  try {
    return buildModel(views);
  } catch (error) {
    const problems = checkDescriptors(views).filter(({ severity }) => severity !== 'warning');
    if (problems.length === 0) throw error;
    throw new DescriptorError(files, problems);
  }
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

/** Ids as a reference of this form holds them. */
export function wrapped(form: 'single' | 'list' | 'set', ...ids: readonly string[]): Json {
  if (form === 'single') return ids[0] ?? null;
  return form === 'list' ? [...ids] : Object.fromEntries(ids.map((id) => [id, true]));
}
