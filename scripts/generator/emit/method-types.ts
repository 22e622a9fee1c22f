import {
  hasFurther,
  methodTypeName,
  standardMethodsOf,
} from '../../../src/descriptor/model/further-members.js';
import type { ModelCapability, ModelMethod, ModelType } from '../../../src/descriptor/model.js';
import type { StandardMethodRow } from '../../../src/descriptor/standard-methods.js';
import type { GeneratedModule } from './generated-module.js';
import { methodStem } from './own-methods.js';
import { fileOf } from './sources.js';

/** A standard method with the types of its further parts; null where it has none. */
export interface Further {
  readonly verb: StandardMethodRow['verb'];
  readonly args: string | null;
  readonly response: string | null;
}

/** Imports the type of a data type that ends with the suffix: `TodoShape`. */
export function importType(
  module: GeneratedModule,
  capability: ModelCapability,
  type: string,
  suffix: string,
): string {
  return module.type(fileOf(capability, `${type}.definition`), `${type}${suffix}`);
}

/** Imports the types of what a descriptor adds to the standard methods of a type. */
export function importFurther(
  module: GeneratedModule,
  capability: ModelCapability,
  type: ModelType,
): readonly Further[] {
  const source = fileOf(capability, `${type.name}.definition`);
  return standardMethodsOf(type).map(({ row, method }) => ({
    verb: row.verb,
    args: hasFurther(method.arguments)
      ? module.type(source, methodTypeName(type, row, 'Arguments'))
      : null,
    response: hasFurther(method.response)
      ? module.type(source, methodTypeName(type, row, 'Response'))
      : null,
  }));
}

/** Imports the two types of an own method, as the parameters of a generic one: `A, B`. */
export function importOwn(
  module: GeneratedModule,
  capability: ModelCapability,
  method: ModelMethod,
): string {
  const source = fileOf(capability, 'methods');
  const stem = methodStem(method);
  return `${module.type(source, `${stem}Arguments`)}, ${module.type(source, `${stem}Response`)}`;
}
