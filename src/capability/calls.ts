import type { TypeShape } from './definition.js';
import type { OnceArgument } from './standard.js';
import type { TypedArguments, TypedResponses } from './typed-arguments.js';

/** The types of method calls by name: what generated/calls.ts says of a project's methods. */

/** A method's arguments and its response. */
export interface MethodCall<Arguments extends object, Response extends object> {
  readonly arguments: Arguments;
  readonly response: Response;
}

/** The methods of a project by their names; generated/calls.ts has the project's own. */
export type MethodCalls<Calls> = {
  readonly [Name in keyof Calls]: MethodCall<object, object>;
};

/** The arguments as a client gives them: a create has every property that it must give. */
interface ClientArguments<Shape extends TypeShape>
  extends Omit<TypedArguments<Shape>, 'set' | 'copy'> {
  readonly set: Omit<TypedArguments<Shape>['set'], 'create'> &
    OnceArgument & { readonly create?: Readonly<Record<string, Shape['create']>> | null };
  readonly copy: TypedArguments<Shape>['copy'] & OnceArgument;
}

/** Arguments and response of each standard method of a type (RFC 8620 5.1 to 5.6). */
type StandardCalls<Shape extends TypeShape> = {
  readonly [Verb in keyof TypedArguments]: MethodCall<
    ClientArguments<Shape>[Verb],
    TypedResponses<Shape>[Verb]
  >;
};

/** All standard methods of a type by their names; its descriptor adds nothing to them. */
export type TypeCalls<Name extends string, Shape extends TypeShape> = {
  readonly [Verb in keyof StandardCalls<Shape> as `${Name}/${Verb}`]: StandardCall<Shape, Verb>;
};

/** A standard method of a type, with what its descriptor adds. */
export type StandardCall<
  Shape extends TypeShape,
  Verb extends keyof StandardCalls<Shape>,
  Arguments extends object = object,
  Response extends object = object,
> = MethodCall<
  StandardCalls<Shape>[Verb]['arguments'] & Partial<Arguments>,
  StandardCalls<Shape>[Verb]['response'] & Response
>;
