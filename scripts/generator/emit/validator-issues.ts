/**
 * The code by which ajv keeps an error: these members in this order, on one line. It keeps all
 * errors, though a client chooses how many there are. A name that is wrong is in `params` too.
 */
const KEEP_ERROR =
  /const (err\d+) = \{instancePath(?::([^\n]+?))?,schemaPath:("(?:[^"\\\n]|\\.)*"),keyword:("(?:[^"\\\n]|\\.)*"),params:(\{[^\n]*\}),message:([^\n]*?)(?:,propertyName:\w+)?\};\nif\(vErrors === null\)\{\nvErrors = \[\1\];\n\}\nelse \{\nvErrors\.push\(\1\);\n\}\nerrors\+\+;\n/g;

/** The code by which ajv takes over the errors of another validator, however many there are. */
const TAKE_ERRORS =
  /vErrors = vErrors === null \? (\w+)\.errors : vErrors\.concat\(\1\.errors\);\nerrors = vErrors\.length;\n/g;

/** The schema of a validator, as ajv leaves it in the code. */
const SCHEMA = /^const (schema\d+) = (\{[^\n]*\});\n/gm;

/** A part of a schema, by a path of members. */
const SCHEMA_PART =
  /\b(schema\d+)((?:\.[A-Za-z_$][\w$]*|\["(?:[^"\\\n]|\\.)*"\]|\[\d+\])+)(?=[},])/g;

/** The errors that a validator has found so far. */
const COUNTERS = 'let vErrors = null, errors = 0;';

/** Longer parts of a schema stay references. */
const MAX_PART = 200;

/**
 * Returns ajv's code with `addIssue` for what ajv does with an error: within bounds, and short
 * enough to be read. Schemas that are needed for nothing else are left out.
 */
export function withIssues(code: string): string {
  const schemas = new Map(
    [...code.matchAll(SCHEMA)].map(([, name = '', text = '{}']) => [name, JSON.parse(text)]),
  );
  const bounded = code.replace(
    KEEP_ERROR,
    (_all, _name, at = 'instancePath', rule: string, keyword: string, params: string, message) => {
      if (!rule.endsWith(`/${keyword.slice(1)}`))
        throw new Error(`The rule ${rule} of an emitted validator does not end with ${keyword}.`);
      const given = params === '{}' ? '' : `params: ${withParts(params, schemas)}, `;
      const issue = `{ at: ${at}, rule: ${rule}, ${given}message: ${message} }`;
      return `vErrors = addIssue(vErrors, ${issue}); errors++;\n`;
    },
  );
  const taken = bounded.replace(
    TAKE_ERRORS,
    (_all, name: string) => `vErrors = addIssues(vErrors, ${name}.errors); errors++;\n`,
  );
  if (/\bvErrors\.(?:push\(|concat\(|length = )/.test(taken))
    throw new Error('Emitted validators keep errors in a way that has no bound.');
  const short = taken.replaceAll('let vErrors = null;\nlet errors = 0;\n', `${COUNTERS}\n`);
  return short.replace(SCHEMA, (line, name: string) =>
    short.split(new RegExp(`\\b${name}\\b`)).length > 2 ? line : '',
  );
}

/** Puts values in the place of short references to parts of a schema. */
function withParts(params: string, schemas: ReadonlyMap<string, unknown>): string {
  return params.replace(SCHEMA_PART, (reference, name: string, path: string) => {
    const keys = [...path.matchAll(/\.([\w$]+)|\[("(?:[^"\\]|\\.)*"|\d+)\]/g)].map(
      ([, word, quoted]) => word ?? String(JSON.parse(quoted ?? '""')),
    );
    let part: unknown = schemas.get(name);
    for (const key of keys)
      part = typeof part === 'object' && part !== null ? Reflect.get(part, key) : undefined;
    const text = JSON.stringify(part);
    return text === undefined || text.length > MAX_PART ? reference : text;
  });
}
