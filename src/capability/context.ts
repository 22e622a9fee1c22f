import type { StandardMethods } from './standard.js';

/** What a generated handler may use of the engine while it answers one method call. */
export interface MethodContext {
  readonly standard: StandardMethods;
  /** Runs a method that src/methods implements by name: the body of `Core/echo`, `Blob/upload` ... */
  builtIn<Arguments extends object, Response extends object>(
    name: string,
    args: Arguments,
  ): Promise<Response>;
  /** Runs a method that the capability's hook file implements. */
  own<Arguments extends object, Response extends object>(
    name: string,
    args: Arguments,
  ): Promise<Response>;
}
