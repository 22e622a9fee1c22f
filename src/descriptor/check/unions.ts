import { type Tags, tagsOf } from '../branches.js';
import { typeOf } from '../kinds.js';
import { items, type Located, member, members, text } from '../located.js';
import { isOpen } from '../model/property-schema.js';
import { oneOf, place, type Report, type Rule } from './rule.js';
import { type SchemaView, schemasOf } from './schemas.js';

/** Refuses unions whose branches no value of one member tells apart. */
export const unions: Rule = (views, report) => {
  for (const schema of views.flatMap(schemasOf)) {
    const { node, label } = schema;
    const branches = member(node, 'oneOf');
    const discriminator = member(node, 'discriminator');
    if (branches === undefined || discriminator === undefined) {
      const alone = node.members?.get(branches === undefined ? 'discriminator' : 'oneOf');
      if (alone !== undefined)
        report(
          'bad-union',
          alone.nameAt,
          `"${label}" needs both: oneOf with a list of objects, and discriminator with the name ` +
            "of the member that tells them apart, for instance discriminator: '@type'.",
        );
      continue;
    }
    const name = text(discriminator);
    if (name === undefined) continue;
    judgeBeside(schema, report);
    const sound = items(branches).filter((branch) => judgeBranch(branch, name, label, report));
    judgeTags(sound, name, label, report);
  }
};

/** Keys that say what a union is. Other keys of a property may stand beside them. */
const OF_A_VALUE: readonly string[] = [
  ...['enum', 'const', 'format', 'items', 'properties', 'required', 'additionalProperties'],
  ...['propertyNames', 'setOf', 'minProperties', 'maxProperties'],
];

/** Reports keys beside `oneOf` that its branches have to say, and a type other than object. */
function judgeBeside({ node, label }: SchemaView, report: Report): void {
  for (const { name, nameAt } of members(node)) {
    if (!OF_A_VALUE.includes(name)) continue;
    report('misplaced-key', nameAt, `"${name}" does not go with oneOf: write it in its branches.`);
  }
  const { type } = typeOf(node);
  if (type !== 'object' && type !== undefined)
    report(
      'misplaced-key',
      member(node, 'type')?.at ?? node.at,
      `the branches of "${label}" are objects: beside oneOf, "type" is left out or ` +
        `[object, 'null'], not ${type}.`,
    );
}

/**
 * Reports a branch that is no object, or whose discriminator has no values to be known by. Returns
 * whether it is neither.
 */
function judgeBranch(branch: Located, name: string, label: string, report: Report): boolean {
  const complain = (node: Located, why: string): false => {
    report('bad-union', node.at, `a branch of "${label}" ${why}.`);
    return false;
  };
  const { type, nullable } = typeOf(branch);
  const isPlain = ['setOf', 'const', 'oneOf'].every((key) => member(branch, key) === undefined);
  // Another rule tells of a reference to nothing.
  if (type === undefined && isPlain) return false;
  if (type !== 'object' || nullable || !isPlain)
    return complain(branch, 'is an object: type: object, with properties');
  const own = member(member(branch, 'properties'), name);
  if (own === undefined) {
    const why = `may have any members, so it has to say what "${name}" is in it`;
    return isOpen(branch) ? complain(branch, why) : true;
  }
  const fitting = ['type', 'const', 'enum', 'description', 'minLength', 'maxLength', 'pattern'];
  const others = members(own).filter((each) => !fitting.includes(each.name));
  const values = member(own, 'enum')?.items ?? [member(own, 'const')];
  const isText = values.every((value) => value === undefined || (text(value) ?? '') !== '');
  const isKnown = isText && others.length === 0 && !typeOf(own).nullable;
  if (isKnown && typeOf(own).type === 'string') return true;
  return complain(
    own,
    `has a "${name}" of one of these forms: { const: Name }, { type: string, enum: [...] }, ` +
      'or { type: string } for all other values',
  );
}

/** Reports a value that two branches have, and two branches that take the rest. */
function judgeTags(
  branches: readonly Located[],
  name: string,
  label: string,
  report: Report,
): void {
  const taken = new Map<string, Located>();
  for (const branch of branches) {
    const own = member(member(branch, 'properties'), name);
    const words = wordsOfTags(tagsOf(branch, name));
    const twice = words.filter((word) => taken.has(word));
    const first = taken.get(twice[0] ?? '');
    if (first !== undefined)
      report(
        'bad-union',
        (own ?? branch).at,
        `"${label}" has two branches for ${oneOf(twice)} of "${name}": the other is at ` +
          `${place(first.at)}.`,
        { related: [first.at] },
      );
    for (const word of words) if (!taken.has(word)) taken.set(word, branch);
  }
}

/** Returns what a branch takes, in words that tell it from others. */
function wordsOfTags({ values, isOptional }: Tags): readonly string[] {
  const words = values === undefined ? ['any other value'] : values.map((one) => `"${one}"`);
  return isOptional ? [...words, 'the absence'] : words;
}
