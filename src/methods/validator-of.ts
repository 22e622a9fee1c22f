import type { ValidationIssue, Validator } from '../capability/validation.js';
import type { JsonObject, JsonValue } from '../protocol/json.js';

/** Says what is wrong with a value, as the end of a sentence; null for nothing. */
export type Judge = (value: JsonValue) => string | null;

/** Returns a validator of an object whose members have a judge each. */
export function validatorOf(judges: Readonly<Record<string, Judge>>): Validator {
  const validator: Validator = (data) => {
    const issues: ValidationIssue[] = [];
    for (const [name, value] of Object.entries(data as JsonObject)) {
      const message = judges[name]?.(value) ?? null;
      if (message === null) continue;
      const place = { instancePath: `/${name}`, schemaPath: `#/properties/${name}` };
      issues.push({ ...place, keyword: 'judge', params: {}, message });
    }
    validator.errors = issues;
    return issues.length === 0;
  };
  return validator;
}
