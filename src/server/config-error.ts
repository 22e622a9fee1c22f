/** A variable whose value is wrong: tools print it and exit with 2. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  /** The message repeats no secret, and of a URL no user and no password. */
  constructor(variable: string, value: string, legal: string) {
    const isSecret = SECRETS.includes(variable) || /^postgres/i.test(value);
    const shown = value.replace(isSecret ? /.+/s : /^.*@/s, '…');
    super(`${variable}=${JSON.stringify(shown)} is not usable: it takes ${legal}.`);
  }
}

const SECRETS: readonly string[] = ['METRICS_TOKEN', 'SECRETS_KEY'];
