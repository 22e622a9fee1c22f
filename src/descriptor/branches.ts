import type { JSONSchema7 } from 'json-schema';
import type { BranchStep } from '../capability/places.js';
import { items, type Located, member, text } from './located.js';

/** A union among the schemas of JSON Schema. `discriminator` is a keyword of ours. */
export interface UnionSchema extends JSONSchema7 {
  readonly oneOf: JSONSchema7[];
  /** The member whose value tells the branches apart. */
  readonly discriminator: string;
}

/** A branch of a union, and the step of a place that leads into it. */
export interface Branch<Schema> {
  readonly schema: Schema;
  readonly step: BranchStep;
}

/** The values of the discriminator in a branch. */
export interface Tags {
  /** Undefined: any text that is no other branch's. */
  readonly values: readonly string[] | undefined;
  /** The branch takes objects without the member. */
  readonly isOptional: boolean;
}

/** Returns whether a schema is a union. */
export function isUnion(schema: JSONSchema7): schema is UnionSchema {
  return schema.oneOf !== undefined;
}

/** Returns the branches of a union; none for another schema. */
export function branchesIn(schema: JSONSchema7): readonly Branch<JSONSchema7>[] {
  if (!isUnion(schema)) return [];
  const { discriminator, oneOf } = schema;
  const tags = oneOf.map(({ properties = {}, required = [] }): Tags => {
    const own = Object.hasOwn(properties, discriminator) ? properties[discriminator] : undefined;
    if (typeof own !== 'object') return NO_MEMBER;
    const values = own.const === undefined ? own.enum : [own.const];
    return {
      values: values?.filter((value) => typeof value === 'string'),
      isOptional: !required.includes(discriminator),
    };
  });
  return withSteps(discriminator, oneOf, tags);
}

/** Returns the branches of a descriptor's union; none for another schema. */
export function branchesOf(node: Located): readonly Branch<Located>[] {
  const branches = items(member(node, 'oneOf'));
  const discriminator = text(member(node, 'discriminator'));
  if (discriminator === undefined) return [];
  return withSteps(
    discriminator,
    branches,
    branches.map((branch) => tagsOf(branch, discriminator)),
  );
}

const NO_MEMBER: Tags = Object.freeze({ values: Object.freeze([]), isOptional: true });

/** Returns the values of the discriminator in a branch of a descriptor. */
export function tagsOf(branch: Located, discriminator: string): Tags {
  const own = member(member(branch, 'properties'), discriminator);
  if (own === undefined) return NO_MEMBER;
  const constant = member(own, 'const');
  const values = constant === undefined ? member(own, 'enum')?.items : [constant];
  const required = items(member(branch, 'required'));
  return {
    values: values?.flatMap((value) => text(value) ?? []),
    isOptional: !required.some((name) => text(name) === discriminator),
  };
}

/** Returns each branch with its step. One without values takes what the others leave. */
function withSteps<Schema>(
  discriminator: string,
  branches: readonly Schema[],
  tags: readonly Tags[],
): readonly Branch<Schema>[] {
  const known = tags.flatMap(({ values = [] }) => values);
  return branches.map((schema, index) => {
    const { values, isOptional } = tags[index] ?? NO_MEMBER;
    const step: BranchStep =
      values === undefined
        ? { branch: discriminator, of: [...known, ...(isOptional ? [] : [null])], others: true }
        : { branch: discriminator, of: [...values, ...(isOptional ? [null] : [])] };
    return { schema, step };
  });
}
