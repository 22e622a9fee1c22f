import type { Ajv, ValidateFunction } from 'ajv';
import { FORMAT_NAMES, FORMATS, formatNamed } from '../../capability/formats/index.js';
import { isWholePlace } from '../../capability/named-references.js';
import { textsAt } from '../../capability/places.js';
import { formedSteps, formedText } from '../../capability/text-forms.js';
import { canonicalJson } from '../../protocol/canonical-json.js';
import type { JsonValue } from '../../protocol/json.js';
import { finish } from '../../runtime/paused-work.js';
import { type Located, member, text } from '../located.js';
import { buildSchema } from '../model/property-schema.js';
import { formOf, textRulesIn } from '../model/text-rules.js';
import type { PropertyView } from '../property-view.js';
import { schemasIn } from '../schema-places.js';
import { createAjv } from '../validation/ajv.js';
import { type AjvSchema, validationSchema } from '../validation/schema.js';
import { whyNoPattern } from './patterns.js';
import { oneOf, type Report, type Rule } from './rule.js';

/** Refuses a default that a client may not give: it is stored as it is. */
export const defaultValues: Rule = (views, report) => {
  const compile = compiler();
  for (const property of views.flatMap((view) => view.types).flatMap((t) => t.properties)) {
    const given = member(property.node, 'default');
    if (given === undefined || property.kind === undefined) continue;
    if (property.defaultNow) {
      judgeNow(property, given, report);
      continue;
    }
    // A nullable property's default is another rule's concern.
    if (property.nullable && given.value !== null) continue;
    judgeDefault(property, given, compile, report);
  }
};

/** Reports `{ now: true }` where no time can stand, and other objects as the default of a text. */
function judgeNow({ name, format, access }: PropertyView, given: Located, report: Report): void {
  const known = formatNamed(format);
  const dates = FORMAT_NAMES.filter((each) => FORMATS[each].present !== null);
  const why =
    given.members?.size !== 1 || member(given, 'now')?.value !== true
      ? 'is a text, or { now: true } for a date'
      : (known?.present ?? null) === null
        ? `can be { now: true } only with the format ${oneOf(dates)}`
        : access === 'secret'
          ? "can't be { now: true }: it is secret"
          : undefined;
  if (why !== undefined) report('bad-default', given.at, `the default of "${name}" ${why}.`);
}

/** Returns undefined where the schema itself is wrong, which other rules tell about. */
type Compile = (node: Located) => ValidateFunction | undefined;

/** Reports a default that its property could never hold, with the reason. */
function judgeDefault(
  { name, node, blob, blobs, nullable, references }: PropertyView,
  given: Located,
  compile: Compile,
  report: Report,
): void {
  const complain = (why: string) =>
    report('bad-default', given.at, `the default of "${name}" ${why}.`);
  if (given.value === null && !nullable) {
    complain("is null, but the property isn't nullable");
    return;
  }
  if (blob && given.value !== null) {
    complain('can only be null: accounts share no blobs');
    return;
  }
  const [named] = textsAt(blobs, given.value);
  if (named !== undefined) {
    complain(`can't name a blob ("${named}"): accounts share no blobs`);
    return;
  }
  const linked = references.find(({ place }) => textsAt([place], given.value).size > 0);
  if (linked !== undefined) {
    const legal = linked.place.length === 0 ? 'null' : 'empty';
    const isOwn = isWholePlace(linked.place);
    const legalOwn = `can only be ${legal}: it refers to objects`;
    complain(isOwn ? legalOwn : `can't name ${linked.target.name} objects`);
    return;
  }
  const stored = storedForm(node, given.value);
  if (canonicalJson(stored) !== canonicalJson(given.value)) {
    const shown = typeof stored === 'string' ? stored : JSON.stringify(stored);
    complain(`must be written as the server stores it: ${shown}`);
    return;
  }
  for (const issue of findIssues(compile(node), given)) complain(issue);
}

/** Returns a value with its texts in the one form in which they are stored. */
function storedForm(node: Located, value: JsonValue): JsonValue {
  const schema = buildSchema(node, 'stored');
  const form = formOf(schema);
  if (typeof value === 'string') return form === undefined ? value : formedText(form, value);
  return finish(formedSteps({ texts: textRulesIn(schema) }, value));
}

/** Returns what a validator finds in a default, in words; nothing if the schema didn't compile. */
function findIssues(validate: ValidateFunction | undefined, given: Located): readonly string[] {
  // The validator settles numbers in place, so it gets a copy, within an object as a property is.
  if (validate === undefined || validate({ value: structuredClone(given.value) })) return [];
  return (validate.errors ?? []).map(({ instancePath, message, params }) => {
    const tag: unknown = params['tag'];
    const path = typeof tag === 'string' ? `${instancePath}/${tag}` : instancePath;
    const where = path.split('/').slice(2).join('/');
    const extra: unknown = params['additionalProperty'];
    const allowed: unknown = params['allowedValues'];
    let what = message;
    if (typeof extra === 'string') what = `has the undeclared member "${extra}"`;
    if (Array.isArray(allowed)) what = `must be ${oneOf(allowed.map((v) => JSON.stringify(v)))}`;
    return `${where === '' ? '' : `at ${where} `}${what ?? 'is wrong'}`;
  });
}

/** Returns whether a pattern of the schema may not be tried: another rule reports it. */
function hasWrongPattern(node: Located): boolean {
  return schemasIn(node).some((inner) => {
    const pattern = text(member(inner.node, 'pattern'));
    return pattern !== undefined && whyNoPattern(pattern) !== undefined;
  });
}

/** Returns a function that compiles each schema once: many properties have equal schemas. */
function compiler(): Compile {
  const ajv = createAjv();
  const compiled = new Map<string, ValidateFunction | undefined>();
  return (node) => {
    if (hasWrongPattern(node)) return undefined;
    const value = validationSchema(buildSchema(node, 'stored'), 'stored');
    const key = JSON.stringify(value);
    if (!compiled.has(key))
      compiled.set(key, tryToCompile(ajv, { type: 'object', properties: { value } }));
    return compiled.get(key);
  };
}

/** Returns undefined for a schema that ajv can't compile: another rule reports it. */
function tryToCompile(ajv: Ajv, schema: AjvSchema): ValidateFunction | undefined {
  try {
    return ajv.compile(schema);
  } catch {
    return undefined;
  }
}
