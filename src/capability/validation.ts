/** One complaint of a generated validator: the part of ajv's error object that the engine reads. */
export interface ValidationIssue {
  /** JSON Pointer to the value at fault; `""` is the whole. */
  readonly instancePath: string;
  /** The rule that is broken, as a place in the schema. */
  readonly schemaPath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message?: string;
  /** The branch of a union that it lies in: the member that chose it, and its value. */
  branch?: { readonly member: string; readonly value: unknown };
}

/**
 * A validator that ajv compiled at generation time. It answers true or false, and leaves its
 * findings in `errors` until its next call. They are all rules that are broken, not just the first,
 * but at most a hundred of one rule. It may replace an inexact number by its nearest double where
 * the schema says `number`.
 */
export interface Validator {
  (data: unknown): boolean;
  errors?: readonly ValidationIssue[] | null;
}
