/** The log of the server's parts: fields first, then the message. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  /** Returns a log whose lines have these fields too; `redact` names those that it hides. */
  child(fields: object, options: { readonly redact: string[] }): Log;
  isLevelEnabled(level: string): boolean;
}
