import type { MethodErrorType } from '../protocol/errors.js';

/**
 * What a hook throws to refuse its whole method call with an error of the wire (RFC 8620 3.6.2):
 * `throw new HookRefusal('forbidden', 'Only the owner may rebuild.')`. The client reads the
 * description. Anything else that a hook throws is a `serverFail` whose cause stays in the log.
 */
export class HookRefusal extends Error {
  override readonly name = 'HookRefusal';
  readonly type: MethodErrorType;

  constructor(type: MethodErrorType, description: string) {
    super(description);
    this.type = type;
  }
}
