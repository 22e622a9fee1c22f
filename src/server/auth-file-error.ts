/** The file of AUTH_FILE has problems: `file:line:column: message`, one a line. */
export class AuthFileError extends Error {
  override readonly name = 'AuthFileError';

  constructor(problems: readonly string[]) {
    super(`AUTH_FILE is not usable:\n${problems.join('\n')}`);
  }
}
