import type { Location, Model, ModelCapability, ModelType } from '../model.js';

/**
 * Returns the same model with types, properties, conditions and methods in the order in which their
 * descriptors have them: how a team reads them in types and pages. Tables and hashes take the order
 * of names, so that neither changes when a line of a descriptor moves.
 */
export function inWrittenOrder(model: Model): Model {
  return { ...model, capabilities: model.capabilities.map(orderCapability) };
}

/** Returns a capability with its types and methods in the order of its descriptor. */
function orderCapability(capability: ModelCapability): ModelCapability {
  return {
    ...capability,
    types: capability.types.map(typeInOrder).sort(byPlace),
    methods: [...capability.methods].sort(byPlace),
  };
}

/** Returns a type in written order. Standard properties stand at its name, and so come first. */
function typeInOrder(type: ModelType): ModelType {
  return {
    ...type,
    properties: [...type.properties].sort(byPlace),
    filters: [...type.filters].sort(byPlace),
    ...(type.answered === undefined ? {} : { answered: [...type.answered].sort(byPlace) }),
  };
}

/** Something that stands in a file. */
interface Placed {
  readonly at: Location;
}

/** Compares two places of one file. */
function byPlace({ at: a }: Placed, { at: b }: Placed): number {
  return a.line - b.line || a.column - b.column;
}
