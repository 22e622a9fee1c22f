import type { Model, ModelEvolution } from '../model.js';

/** Capabilities with their types: a model, or the released state of one. */
interface Owner<Type> {
  readonly capabilities: readonly { readonly types: readonly Type[] }[];
}

/** Returns the types of all capabilities. */
export function typesIn<Type>({ capabilities }: Owner<Type>): readonly Type[] {
  return capabilities.flatMap(({ types }) => types);
}

/** Returns the conversions of all capabilities. */
export function evolutionsIn({ capabilities }: Model): readonly ModelEvolution[] {
  return capabilities.flatMap(({ evolutions = [] }) => evolutions);
}

/** Returns the types by their tables. */
export function typesByTable<Type extends { readonly table: string }>(
  owner: Owner<Type>,
): ReadonlyMap<string, Type> {
  return new Map(typesIn(owner).map((type) => [type.table, type]));
}
