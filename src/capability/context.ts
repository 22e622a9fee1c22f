/** What the body of a method that is no standard one may use of the engine. */
export interface MethodContext {
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
