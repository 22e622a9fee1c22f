import { STANDARD_METHODS } from '../descriptor/standard-methods.js';
import type { EmittedFiles } from '../model.js';
import { validationSchema } from '../validation/schema.js';
import { literal } from './code.js';
import { emitValidatorModule, type ValidatorSource } from './validators.js';

const FROM = 'scripts/generator/descriptor/standard-methods.ts';

/** The argument validators of the standard methods: emitted once, for every type. */
export function emitStandardValidators(): EmittedFiles {
  const sources = STANDARD_METHODS.map(
    ({ verb, section, arguments: schema }): ValidatorSource => ({
      name: `${verb}Arguments`,
      schema: validationSchema(schema, 'message'),
      words: `The arguments of every /${verb} (RFC 8620 ${section}).`,
    }),
  );
  const files = emitValidatorModule('generated/standard/validators', sources, FROM);
  const further = [argumentNames(), argumentNameTypes()];
  return new Map([...files].map(([path, text], index) => [path, text + (further[index] ?? '')]));
}

/** The names that each method takes, beside the validators: emitted once, too. */
function argumentNames(): string {
  const names = STANDARD_METHODS.map(({ verb, arguments: schema }) => [
    verb,
    Object.keys(schema.properties ?? {}),
  ]);
  return `export const argumentNames = ${literal(Object.fromEntries(names))};\n`;
}

function argumentNameTypes(): string {
  const verbs = STANDARD_METHODS.map(({ verb }) => `'${verb}'`).join(' | ');
  return `\n/** The argument names of each method. */\nexport declare const argumentNames: {\n  readonly [verb in ${verbs}]: readonly string[];\n};\n`;
}
