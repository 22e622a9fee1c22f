/**
 * Why a pattern can't be compiled: it is no regular expression, or it can't be matched in one pass.
 */
export class PatternError extends Error {
  readonly kind: 'invalid' | 'unsafe';

  constructor(kind: 'invalid' | 'unsafe', message: string) {
    super(message);
    this.name = 'PatternError';
    this.kind = kind;
  }
}
