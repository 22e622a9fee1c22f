import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FORMAT_NAMES, FORMATS, formatOf } from '../../../scripts/generator/descriptor/formats.js';
import { createAjv } from '../../../scripts/generator/validation/ajv.js';
import { validationSchema } from '../../../scripts/generator/validation/schema.js';
import { REPOSITORY } from './project.js';

test.each(FORMAT_NAMES)(
  '%s judges texts by its row, and docs/descriptors.md tells of it',
  (name) => {
    const validate = createAjv().compile(
      validationSchema({ type: 'string', format: name }, 'stored'),
    );
    expect(validate(FORMATS[name].sample)).toBe(true);
    expect(validate('no such thing!')).toBe(false);
    const { check } = FORMATS[name];
    if ('message' in check) expect(validate.errors?.[0]?.message).toBe(check.message);
    const page = readFileSync(join(REPOSITORY, 'docs/descriptors.md'), 'utf8');
    expect(page).toContain(`| \`string\` with \`format: ${name}\` | ${FORMATS[name].type}`);
  },
);

test('a word that is no format has no row, whatever objects inherit', () => {
  for (const word of ['email', 'toString', undefined]) expect(formatOf(word)).toBeUndefined();
});
