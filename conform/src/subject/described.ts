import { basename } from 'node:path';
import { checkForeign } from '../../../src/descriptor/check/foreign.js';
import { member } from '../../../src/descriptor/located.js';
import { buildModel } from '../../../src/descriptor/model/index.js';
import type { Model, ModelProperty, ModelType, Problem } from '../../../src/descriptor/model.js';
import { type Parsed, parseDescriptor } from '../../../src/descriptor/parse.js';
import { withoutDoubles } from '../../../src/descriptor/problems.js';
import { problemText } from '../../../src/descriptor/report/problem-text.js';
import { PLAIN } from '../../../src/descriptor/report/style.js';
import { withShared } from '../../../src/descriptor/shared-files.js';
import { type CapabilityView, viewCapability } from '../../../src/descriptor/view.js';
import { narrowByRules, withoutLargeBounds } from './under-rules.js';

/** A type as its descriptor describes it, and the capability that has it. */
export interface DescribedType {
  /** As checks use its objects: its rules say nothing of the values that are left. */
  readonly type: ModelType;
  /** As its descriptor declares it. */
  readonly declared: ModelType;
  readonly capability: string;
  /** Methods that some descriptor declares by itself: a type may have one for a standard method. */
  readonly ownMethods: ReadonlySet<string>;
  /**
   * Whether the server itself describes the type (`urn:jmapsmith:reference`). Then the description
   * is whole: the type has no other method, property or member, and takes each value within its
   * bounds.
   */
  readonly isSelfDescribed: boolean;
  /**
   * The references whose `onDestroy` the descriptor says in so many words. That of the others is
   * known of a server that describes itself alone.
   */
  readonly destroys: ReadonlySet<string>;
  /** Objects of an account that the quotas of the descriptors allow; Infinity without any. */
  readonly mostByQuota: number;
}

/** The types of a server, by name: a type refers to others by theirs. */
export type World = ReadonlyMap<string, DescribedType>;

/** Descriptors that are wrong: all of what is, each with its place and the lines around it. */
export class DescriptorError extends Error {
  override readonly name = 'DescriptorError';
  readonly problems: readonly Problem[];

  constructor(sources: readonly DescriptorSource[], problems: readonly Problem[]) {
    const texts = new Map(sources.map(({ file, text }) => [file, text]));
    const told = problems.map((one) =>
      problemText(one, (file) => texts.get(file), { style: PLAIN }),
    );
    super(
      `${told.length} error${told.length === 1 ? '' : 's'} in descriptors.\n${told.join('\n')}`,
    );
    this.problems = problems;
  }
}

/** A descriptor's text and what it is called where a place in it is told. */
export interface DescriptorSource {
  readonly file: string;
  readonly text: string;
  /** Reads a file beside the descriptor that it shares; undefined where there is none. */
  readonly readBeside?: (file: string) => string | undefined;
}

/**
 * Reads all types of descriptors that somebody wrote. Throws DescriptorError where a part isn't of
 * their language: a run without that part would say too much. A part that only a server of this
 * project can't have is no fault.
 */
export function readWorld(sources: readonly DescriptorSource[]): World {
  const { views, problems } = parseViews(sources);
  const found = checkForeign(views, problems);
  const wrong = found.length === 0 && views.every(isBare) ? views.map(reportNoTypes) : found;
  if (wrong.length > 0) throw new DescriptorError(sources, wrong);
  return mapTypes(buildModel(views), views, false);
}

/** Tells whether a descriptor has no types. */
const isBare = ({ types }: CapabilityView): boolean => types.length === 0;

/**
 * Returns the problem of a descriptor without types. A user who gives it wants types checked, and a
 * run without any would pass.
 */
const reportNoTypes = ({ root }: CapabilityView): Problem => ({
  at: root.members?.get('types')?.nameAt ?? root.at,
  code: 'empty',
  message: 'the descriptor has no types, so there is nothing of it to check: describe one.',
});

/**
 * Reads all types of descriptors that a server gives of itself. It takes them as they are: the
 * language of a later server may have more words. Throws DescriptorError where they can't be read.
 */
export function readSelfDescribed(sources: readonly DescriptorSource[]): World {
  const { views } = parseViews(sources);
  try {
    return mapTypes(buildModel(views), views, true);
  } catch (error) {
    const problems = checkForeign(views, []);
    if (problems.length === 0) throw error;
    throw new DescriptorError(sources, problems);
  }
}

interface Views {
  readonly views: readonly CapabilityView[];
  /** The problems of the descriptors that could be read nevertheless. */
  readonly problems: readonly Problem[];
}

/** Parses a descriptor and the shared files that it uses. */
function parseSource({ file, text, readBeside }: DescriptorSource): Parsed & { file: string } {
  const parsed = parseDescriptor(file, text);
  if (parsed.root === undefined || readBeside === undefined) return { file, ...parsed };
  const { root, problems } = withShared(file, parsed.root, (path) => {
    const shared = readBeside(path);
    return shared === undefined ? undefined : parseDescriptor(path, shared);
  });
  return { file, root, problems: [...parsed.problems, ...problems] };
}

/** Parses descriptors. Throws DescriptorError where one can't be read at all. */
function parseViews(sources: readonly DescriptorSource[]): Views {
  const read = sources.map(parseSource);
  const problems = withoutDoubles(read.flatMap((one) => one.problems));
  const views = read.flatMap(({ file, root }) => {
    if (root === undefined) return [];
    const base = basename(file).replace(/[.][a-z]+$/, '');
    return [viewCapability({ file, base, start: { file, line: 1, column: 1 }, root })];
  });
  // A descriptor that can't be read at all is missing from the others, whatever would be said of
  // them.
  if (views.length < sources.length) throw new DescriptorError(sources, problems);
  return { views, problems };
}

/** Returns the types of a model by name. */
function mapTypes(
  { capabilities }: Model,
  views: readonly CapabilityView[],
  isSelfDescribed: boolean,
): World {
  const ownMethods = new Set(
    capabilities.flatMap(({ methods }) => methods.map(({ name }) => name)),
  );
  const all = capabilities.flatMap(({ types }) => types);
  const quotas = capabilities.flatMap((one) => one.quotas ?? []);
  return new Map(
    capabilities.flatMap(({ urn, types }) =>
      types.map((declared) => {
        const seen = withOwnerDefaults(withoutHiddenReads(declared));
        const type = narrowByRules(withoutLargeBounds(seen, listSummed(all, declared.name)));
        const destroys = new Set(listDestroys(views, declared.name));
        const mostByQuota = Math.min(
          ...quotas.flatMap(({ resource, types: counted, limit }) =>
            resource === 'count' && counted.includes(declared.name) ? [limit] : [],
          ),
        );
        const more = { capability: urn, ownMethods, isSelfDescribed, destroys, mostByQuota };
        return [declared.name, { type, declared, ...more }] as const;
      }),
    ),
  );
}

/** Lists the names of a type's references that have an `onDestroy` of their own. */
const listDestroys = (views: readonly CapabilityView[], type: string): readonly string[] =>
  views
    .flatMap(({ types }) => types.filter(({ name }) => name === type))
    .flatMap(({ properties }) => properties.flatMap(({ references }) => references))
    .flatMap(({ name, node }) => (member(node, 'onDestroy') === undefined ? [] : [name]));

/** Returns the names of a type's integers that are added up in objects of any type. */
function listSummed(all: readonly ModelType[], type: string): ReadonlySet<string> {
  const made = all.flatMap(({ properties }) => properties.map(({ computed }) => computed));
  return new Set(
    made.flatMap((computed) =>
      computed?.kind === 'sum' && computed.type === type ? (computed.of ?? []) : [],
    ),
  );
}

/** Returns a type with the defaults that its objects have in an account of the user's own. */
function withOwnerDefaults(type: ModelType): ModelType {
  // Filters and sorts name the same properties, and not copies of them.
  const properties = type.properties.map((property) => {
    const { ownerDefault, ...rest } = property;
    return ownerDefault === undefined ? property : { ...rest, default: ownerDefault };
  });
  return { ...type, properties };
}

/** Returns a type without filters and sorts that read what no client sees. */
function withoutHiddenReads(type: ModelType): ModelType {
  const isSeen = ({ access }: ModelProperty): boolean => access !== 'internal';
  return {
    ...type,
    filters: type.filters.filter(({ property, properties = [property] }) =>
      properties.every(isSeen),
    ),
    sorts: type.sorts.filter(({ property }) => isSeen(property)),
  };
}

/** Returns the properties that are on the wire: all but internal and secret ones. */
export function listVisible(type: ModelType): readonly ModelProperty[] {
  return type.properties.filter(({ access }) => access !== 'internal' && access !== 'secret');
}

/** Returns the properties that a create may give, references and blobs too. */
export function listWritable(type: ModelType): readonly ModelProperty[] {
  return type.properties.filter(
    ({ access, role }) => (access === 'mutable' || access === 'immutable') && role === undefined,
  );
}

/**
 * Returns the properties that a create may give without anything else being there: neither
 * references nor blobs.
 */
export function listGivable(type: ModelType): readonly ModelProperty[] {
  return listWritable(type).filter(
    ({ blobs, references }) => blobs.length === 0 && references.length === 0,
  );
}

/** Tells whether a property is part of a key that no two objects may share. */
export function isUnique(type: ModelType, { name }: ModelProperty): boolean {
  return type.uniques.some(({ properties }) => properties.some((one) => one.name === name));
}
