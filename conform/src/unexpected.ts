/**
 * The server answered otherwise than a rule says: what a check fails by, beside a comparison of
 * `expect`. Any other exception is a defect of the runner.
 */
export class UnexpectedError extends Error {
  override readonly name = 'UnexpectedError';
}
