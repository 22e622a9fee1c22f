import type { EmittedFiles } from '../../../src/descriptor/model.js';
import { STANDARD_METHODS } from '../../../src/descriptor/standard-methods.js';
import { validationSchema } from '../../../src/descriptor/validation/schema.js';
import { Code } from './code.js';
import { GeneratedModule } from './generated-module.js';
import { JMAP } from './sources.js';
import { emitValidators, type ValidatorSource, validatorModule } from './validators.js';

const FROM = 'src/descriptor/standard-methods.ts';

/**
 * Returns the standard methods with the validators of their arguments: emitted once, for every
 * type.
 */
export function emitStandardMethods(): EmittedFiles {
  const sources = STANDARD_METHODS.map(
    ({ verb, section, arguments: schema }): ValidatorSource => ({
      name: `${verb}Arguments`,
      schema: validationSchema(schema, 'message'),
      words: `The arguments of every /${verb} (RFC 8620 ${section}).`,
    }),
  );
  const path = 'generated/standard/methods.ts';
  return new Map([
    ['generated/standard/validators.ts', validatorModule(FROM, emitValidators(sources))],
    [path, methodsModule(path)],
  ]);
}

/** Returns the members of each standard method that are the same for every type. */
function methodsModule(path: string): string {
  const module = new GeneratedModule(path, FROM);
  const validators = { from: './generated/standard/validators.js', as: 'validators' };
  module.addConstant({
    name: 'methods',
    type: `Required<${module.type(JMAP, 'StandardMethods')}>`,
    value: Object.fromEntries(
      STANDARD_METHODS.map(({ verb, account, arguments: schema }) => [
        verb,
        {
          account,
          argumentNames: Object.keys(schema.properties ?? {}),
          validateArguments: new Code(module.value(validators, `${verb}Arguments`)),
        },
      ]),
    ),
    words: 'The standard methods of every type, in the order of RFC 8620.',
  });
  return module.toString();
}
