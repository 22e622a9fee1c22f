import type { JsonObject } from '../protocol/json.js';
import type { TypeShape } from './definition.js';
import type {
  ChangesArguments,
  ChangesResponse,
  CopyArguments,
  CopyResponse,
  GetArguments,
  GetResponse,
  OnceArgument,
  QueryArguments,
  QueryChangesArguments,
  QueryChangesResponse,
  QueryResponse,
  SetArguments,
  SetResponse,
} from './standard.js';

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

/** The objects of a call by creation id or id, as a client that knows the type writes them. */
type Objects<Value> = Readonly<Record<string, Value>>;

/** Arguments and response of each standard method of a type (RFC 8620 5.1 to 5.6). */
interface StandardCalls<Shape extends TypeShape> {
  readonly get: MethodCall<GetArguments, GetResponse<Shape>>;
  readonly changes: MethodCall<ChangesArguments, ChangesResponse>;
  readonly set: MethodCall<
    Omit<SetArguments, 'create' | 'update'> &
      OnceArgument & {
        readonly create?: Objects<Shape['create']> | null;
        readonly update?: Objects<Shape['patch']> | null;
      },
    SetResponse<Shape>
  >;
  readonly copy: MethodCall<CopyArguments & OnceArgument, CopyResponse<Shape>>;
  readonly query: MethodCall<
    Omit<QueryArguments, 'filter'> & { readonly filter?: Filter<Shape> | null },
    QueryResponse
  >;
  readonly queryChanges: MethodCall<
    Omit<QueryChangesArguments, 'filter'> & { readonly filter?: Filter<Shape> | null },
    QueryChangesResponse
  >;
}

/** A FilterCondition of a type, or a FilterOperator over some (RFC 8620 5.5). */
type Filter<Shape extends TypeShape> =
  | Shape['filter']
  | {
      readonly operator: 'AND' | 'OR' | 'NOT';
      readonly conditions: readonly (Shape['filter'] | JsonObject)[];
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
