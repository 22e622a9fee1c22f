import type { ComputedDefinition } from '../../../src/capability/definition.js';
import { escapeToken, unescapeToken } from '../../../src/protocol/json-pointer.js';
import type { Renamed } from '../migrations/lineage.js';

/**
 * Returns the released way of computing a property of the type that was called `own`, by the names
 * that things have now.
 */
export function underNewNames(
  computed: ComputedDefinition,
  own: string,
  renames: readonly Renamed[],
): ComputedDefinition {
  const of = (type: string) => renames.find(({ from }) => from === type);
  const property = (type: string, name: string) =>
    of(type)?.properties.find(({ from }) => from === name)?.to ?? name;
  const type = (name: string) => of(name)?.to ?? name;
  switch (computed.kind) {
    case 'from': {
      const properties = computed.properties.map((name) => property(own, name));
      return { kind: 'from', properties };
    }
    case 'on': {
      const sources = computed.sources.map((source) => ({
        type: type(source.type),
        property: property(source.type, source.property),
      }));
      return { kind: 'on', sources };
    }
    default: {
      const { by, of: read, where } = computed;
      const now = (name: string) => property(computed.type, name);
      const [first = '', ...path] = (by ?? '').split('/');
      const reference = [escapeToken(now(unescapeToken(first))), ...path].join('/');
      return {
        ...computed,
        type: type(computed.type),
        ...(by === undefined ? {} : { by: reference }),
        ...(read === undefined ? {} : { of: now(read) }),
        ...(where === undefined
          ? {}
          : { where: where.map((one) => ({ ...one, property: now(one.property) })) }),
      };
    }
  }
}
