import { _, type Ajv, type Code, type KeywordCxt, Name, nil } from 'ajv';
import type { FORMATS, Format, FormatName } from '../../capability/formats.js';

/**
 * Keywords for what JSON Schema can't say, each emitted inline as a call of a function that
 * `jmapsmith/capability` exports. In the generator itself (checking defaults) the same code runs
 * against the functions given here.
 */
export interface Runtime {
  readonly FORMATS: typeof FORMATS;
  readonly isInexact: (value: unknown) => boolean;
  readonly compilePattern: (source: string) => { test(text: string): boolean };
}

export const RUNTIME_MODULE = 'jmapsmith/capability';

/** The keywords that judge by a format, and what of the format does. */
const FORMAT_KEYWORDS = Object.freeze({
  format: 'isLegal',
  canonicalFormat: 'isCanonical',
} satisfies Readonly<Record<string, keyof Format>>);

export function addKeywords(ajv: Ajv, runtime: Runtime): void {
  const call = (cxt: KeywordCxt, name: keyof Runtime): Name =>
    cxt.gen.scopeValue('func', {
      ref: runtime[name],
      code: _`require(${RUNTIME_MODULE}).${new Name(name)}`,
    });
  ajv.addKeyword({
    // A string that every database can store: PostgreSQL's text has no U+0000.
    keyword: 'storable',
    type: 'string',
    schemaType: 'boolean',
    error: { message: 'must not contain U+0000' },
    code: (cxt) => cxt.fail(_`${cxt.data}.includes("\\u0000")`),
  });
  // ajv's own makes a RegExp, whose time a client could make explode.
  ajv.removeKeyword('pattern');
  ajv.addKeyword({
    keyword: 'pattern',
    type: 'string',
    schemaType: 'string',
    error: { message: ({ schema }) => `must match pattern "${String(schema)}"` },
    code: (cxt) => {
      const { data, gen } = cxt;
      const source = String(cxt.schema);
      const pattern = gen.scopeValue('pattern', {
        key: source,
        ref: runtime.compilePattern(source),
        code: _`${call(cxt, 'compilePattern')}(${source})`,
      });
      const most: unknown = cxt.parentSchema['maxLength'];
      const isTried = typeof most === 'number' ? _`${data}.length <= ${2 * most} && ` : nil;
      // A text that is too long for certain is refused by `maxLength`.
      cxt.fail(_`${isTried}!${pattern}.test(${data})`);
    },
  });
  ajv.removeKeyword('format');
  for (const [keyword, member] of Object.entries(FORMAT_KEYWORDS)) {
    ajv.addKeyword({
      keyword,
      type: 'string',
      schemaType: 'string',
      error: { message: ({ schema }) => runtime.FORMATS[schema as FormatName].message },
      code: (cxt) => {
        const name = cxt.schema as FormatName;
        const check = cxt.gen.scopeValue('formats', {
          key: `${name} ${member}`,
          ref: runtime.FORMATS[name][member],
          code: _`${call(cxt, 'FORMATS')}[${name}].${new Name(member)}`,
        });
        cxt.fail(_`!${check}(${cxt.data})`);
      },
    });
  }
  ajv.addKeyword({
    // An inexact number is an instance of a class of ours; it is no object of the client's.
    keyword: 'noNumber',
    schemaType: 'boolean',
    before: 'allOf',
    error: { message: 'must be object' },
    code: (cxt) => cxt.fail(_`${call(cxt, 'isInexact')}(${cxt.data})`),
  });
  ajv.addKeyword({
    // RFC 8620 1.3 Number: what a double can't hold exactly becomes the nearest one; 1e400 has
    // none.
    keyword: 'nearest',
    schemaType: 'boolean',
    before: 'allOf',
    modifying: true,
    code: (cxt) => {
      const { gen, data, it } = cxt;
      const isInexact = call(cxt, 'isInexact');
      gen.if(_`${isInexact}(${data}) && isFinite(${data}.value)`, () => {
        gen.assign(data, _`${data}.value`);
        gen.assign(parentMember(it.parentData, it.parentDataProperty), data);
      });
    },
  });
}

function parentMember(parent: Name, property: Code | number): Code {
  return _`${parent}[${property}]`;
}
