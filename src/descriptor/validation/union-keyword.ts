import { _, type Ajv, type Code, type KeywordCxt, Name, stringify } from 'ajv';
import { type BranchStep, isBranchValue } from '../../capability/places.js';

/** The keyword beside the branches, which tells them apart. */
interface UnionBy {
  readonly member: string;
  /** In the order of the branches. */
  readonly branches: readonly BranchStep[];
}

/** ajv's own name for the errors that a validator has found so far. */
const FOUND = new Name('vErrors');

/**
 * Adds the keyword for unions: the value of one member chooses the branch, and no other branch is
 * tried. It does what ajv's `discriminator` does, and takes a branch for objects without the member
 * and one for all other values. `inBranch` is a function that notes the branch at errors.
 */
export function addUnions(ajv: Ajv, inBranch: (cxt: KeywordCxt) => Code): void {
  ajv.addKeyword({ keyword: 'unionBy', schemaType: 'object' });
  ajv.addKeyword({
    keyword: 'union',
    type: 'object',
    schemaType: 'array',
    error: {
      message: ({ params }) => {
        if (params['missingProperty'] !== undefined)
          return _`"must have the member that tells its branch"`;
        // Where a branch takes all other texts, none is wrong.
        return params['allowedValues'] === undefined
          ? _`"must be string"`
          : _`"must be a value of a branch"`;
      },
      params: ({ params }) => {
        const { missingProperty, tag, allowedValues } = params;
        if (missingProperty !== undefined)
          return _`{missingProperty: ${missingProperty as string}}`;
        return allowedValues === undefined
          ? _`{tag: ${tag as string}}`
          : _`{tag: ${tag as string}, allowedValues: ${allowedValues as Code}}`;
      },
    },
    code: (cxt) => writeUnion(cxt, inBranch),
  });
}

function writeUnion(cxt: KeywordCxt, inBranch: (cxt: KeywordCxt) => Code): void {
  const { gen, data } = cxt;
  const { member, branches } = cxt.parentSchema['unionBy'] as UnionBy;
  const tag = gen.const('tag', _`${data}[${member}]`);
  const found = gen.const('known', _`${FOUND} === null ? 0 : ${FOUND}.length`);
  gen.if(false);
  for (const [index, step] of branches.entries()) {
    gen.elseIf(isOf(tag, step));
    const valid = gen.name('valid');
    cxt.subschema({ keyword: 'union', schemaProp: index }, valid);
    gen.if(_`!${valid}`, () =>
      gen.code(_`${inBranch(cxt)}(${FOUND}, ${found}, ${member}, ${tag})`),
    );
  }
  const takesNone = !branches.some((step) => isBranchValue(step, undefined));
  if (takesNone) {
    gen.elseIf(_`${tag} === undefined`);
    cxt.setParams({ missingProperty: member });
    cxt.error();
  }
  gen.else();
  const takesOthers = branches.some(({ others }) => others === true);
  const known = branches.flatMap(({ of }) => of.filter(isText));
  cxt.setParams({
    tag: member,
    ...(takesOthers ? {} : { allowedValues: stringify(known) }),
  });
  cxt.error();
  gen.endIf();
}

/** Returns the test whether a value of the discriminator is one of the branch. */
function isOf(tag: Name, { of, others }: BranchStep): Code {
  const tests = of.map((value) =>
    value === null ? _`${tag} === undefined` : _`${tag} === ${value}`,
  );
  if (others !== true) return or(...tests);
  const isAny = of.includes(null)
    ? _`typeof ${tag} == "string"`
    : _`(${tag} === undefined || typeof ${tag} == "string")`;
  return tests.length === 0 ? isAny : _`${isAny} && !(${or(...tests)})`;
}

function or(first: Code = _`false`, ...others: readonly Code[]): Code {
  return others.reduce((all, one) => _`${all} || ${one}`, first);
}

function isText(value: string | null): value is string {
  return value !== null;
}
