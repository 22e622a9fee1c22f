import { fromProperties, onProperties } from '../../../src/descriptor/model/computed.js';
import type {
  EmittedFiles,
  Model,
  ModelCapability,
  ModelProperty,
  ModelType,
} from '../../../src/descriptor/model.js';
import { byCodeUnit } from '../../../src/descriptor/order.js';
import { markOf, mayHaveHooks, ownMethodsOf, writtenFor } from '../hooks/written-for.js';
import { listFamilies, listPlainAnswered } from './answered-types.js';
import { literal } from './code.js';
import { GeneratedModule, type Member, objectType } from './generated-module.js';
import { type Further, importFurther, importOwn, importType } from './method-types.js';
import { JMAP } from './sources.js';
import { sourceOf } from './type-validators.js';

/**
 * Returns the types that `capabilities/NAME.hooks.ts` is written against: a schema change breaks
 * its build.
 */
export function emitHooks(model: Model): EmittedFiles {
  return new Map(
    model.capabilities.filter(mayHaveHooks).map((capability) => {
      const path = `generated/${capability.name}/hooks.ts`;
      return [path, new HooksModule(path, capability, model).emit()];
    }),
  );
}

const DATABASE = ['Database = unknown'];

/** The hook types of one capability. */
class HooksModule {
  readonly #module: GeneratedModule;
  readonly #capability: ModelCapability;
  /** The capability of each type of the model, by the type's name. */
  readonly #homes: ReadonlyMap<string, ModelCapability>;

  constructor(path: string, capability: ModelCapability, model: Model) {
    this.#module = new GeneratedModule(path, sourceOf(capability));
    this.#capability = capability;
    this.#homes = new Map(
      model.capabilities.flatMap((home) => home.types.map(({ name }) => [name, home] as const)),
    );
  }

  /** Returns the text of `hooks.ts`: the types that a hook file is written against. */
  emit(): string {
    const hash = writtenFor(this.#capability);
    this.#module.addConstant({
      name: 'WRITTEN_FOR',
      type: 'string',
      value: hash,
      words: `The first line of a hook file that fits: \`${markOf(this.#capability, hash)}\``,
    });
    for (const type of this.#capability.types) this.#addTypeHooks(type);
    this.#addHooks();
    return this.#module.toString();
  }

  /** Adds the interface of a type's hooks, with a member for each computed property. */
  #addTypeHooks(type: ModelType): void {
    const further = importFurther(this.#module, this.#capability, type);
    const set = further.find(({ verb, args }) => verb === 'set' && args !== null);
    // A write of another type, or a tx.set, that reaches these hooks has other arguments or none.
    const args = set === undefined ? this.#module.type(JMAP, 'JsonObject') : `Partial<${set.args}>`;
    const hooks = this.#module.type(JMAP, 'TypeHooks');
    this.#module.addInterface({
      name: `${type.name}Hooks`,
      words: `Hooks of ${type.name}.`,
      typeParameters: DATABASE,
      extends: `${hooks}<${this.#stored(type.name)}, Database, ${args}, ${this.#refusal(type)}>`,
      members: [
        ...group(
          'compute',
          fromProperties(type).map((property) => this.#typeFromFunction(type, property)),
        ),
        ...group(
          'computeOn',
          onProperties(type).map((property) => this.#typeOnFunction(type, property)),
        ),
        ...this.#typeAnswer(type, further),
        ...(further.length === 0
          ? []
          : [{ name: 'methods', type: this.#typeMethods(type, further), isOptional: true }]),
      ],
    });
  }

  /** Returns the type of the SetErrors by which a `check` may refuse. */
  #refusal({ name, errors }: ModelType): string {
    if (errors === undefined) return this.#module.type(JMAP, 'StandardSetError');
    return importType(this.#module, this.#capability, name, 'SetError');
  }

  /** Returns the member for a property with `from`: a pure function of the object. */
  #typeFromFunction(type: ModelType, { name }: ModelProperty): Member {
    const stored = this.#stored(type.name);
    return { name, type: `(object: ${stored}) => ${stored}[${literal(name)}]` };
  }

  /**
   * Returns the member for a property with `on`: a function of changes that returns values by id.
   */
  #typeOnFunction(type: ModelType, property: ModelProperty): Member {
    const jmap = (name: string) => this.#module.type(JMAP, name);
    const changes = objectType({
      members: listSources(property).map((source) => ({
        name: source,
        type: `${jmap('Changes')}<${this.#stored(source)}>`,
        isOptional: true,
      })),
    });
    const value = `${this.#stored(type.name)}[${literal(property.name)}]`;
    const reader = `${jmap('HookReader')}<Database>`;
    const parameters = `changes: ${changes}, call: ${jmap('HookCall')}, reader: ${reader}`;
    return {
      name: property.name,
      type: `${jmap('Hook')}<(${parameters}) => Promise<ReadonlyMap<string, ${value}>>>`,
    };
  }

  /** Returns the member of a type with answered properties: the function that computes them. */
  #typeAnswer(type: ModelType, further: readonly Further[]): readonly Member[] {
    const { answered } = type;
    if (answered === undefined) return [];
    const jmap = (name: string) => this.#module.type(JMAP, name);
    const own = (suffix: string) => importType(this.#module, this.#capability, type.name, suffix);
    // No name at all is `string`: a set of `never` fits no other set.
    const union = (names: readonly string[]) =>
      names.length === 0 ? 'string' : names.map((name) => literal(name)).join(' | ');
    const sources = ['id', ...answered.flatMap((each) => each.sources)];
    const parameters = [
      `Pick<${this.#stored(type.name)}, ${union([...new Set(sources)])}>`,
      own('Answered'),
      union(listPlainAnswered(type).map(({ name }) => name)),
      listFamilies(type).length === 0 ? 'Readonly<Record<never, never>>' : own('Families'),
      further.find(({ verb }) => verb === 'get')?.args ?? jmap('JsonObject'),
      'Database',
    ];
    return [{ name: 'answer', type: `${jmap('AnswerHook')}<${parameters.join(', ')}>` }];
  }

  /** Returns the type of hooks around standard methods, with what the descriptor adds to them. */
  #typeMethods({ name }: ModelType, further: readonly Further[]): string {
    const shape = importType(this.#module, this.#capability, name, 'Shape');
    const verbs = further.map(({ verb }) => `'${verb}'`).join(' | ');
    const added = further.flatMap(({ verb, args, response }) => {
      const parts = Object.entries({ arguments: args, response });
      const members = parts.flatMap(([part, type]) => (type === null ? [] : [`${part}: ${type}`]));
      return members.length === 0 ? [] : [`${verb}: { ${members.join('; ')} }`];
    });
    const more = added.length === 0 ? '' : `, { ${added.join('; ')} }`;
    return `${this.#module.type(JMAP, 'MethodHooks')}<${shape}, ${verbs}, Database${more}>`;
  }

  /**
   * Adds the interface of the whole hook file. A part is optional if nothing in it must be given.
   */
  #addHooks(): void {
    const { types, name } = this.#capability;
    const ofTypes = types.map(
      (type): Member => ({
        name: type.name,
        type: `${type.name}Hooks<Database>`,
        isOptional: !needsHooks(type),
      }),
    );
    const methods = ownMethodsOf(this.#capability).map((method): Member => {
      const own = this.#module.type(JMAP, 'OwnMethod');
      const parts = importOwn(this.#module, this.#capability, method);
      return { name: method.name, type: `${own}<${parts}, Database>` };
    });
    this.#module.addInterface({
      name: 'Hooks',
      words: `The type of \`hooks\` in capabilities/${name}.hooks.ts.`,
      typeParameters: DATABASE,
      members: [
        ...group('types', ofTypes, !types.some(needsHooks)),
        ...group('methods', methods),
        {
          name: 'accountCreated',
          type: `${this.#module.type(JMAP, 'AccountCreated')}<Database>`,
          isOptional: true,
        },
        {
          name: 'jobs',
          type: `Readonly<Record<string, ${this.#module.type(JMAP, 'Job')}<Database>>>`,
          isOptional: true,
        },
      ],
    });
  }

  /** Returns a type as hooks see it; it may be of another capability. */
  #stored(type: string): string {
    const home = this.#homes.get(type) ?? this.#capability;
    return importType(this.#module, home, type, 'Stored');
  }
}

/**
 * Returns a member that holds others, if there are any. Without a required one a hook file does not
 * compile.
 */
function group(name: string, members: readonly Member[], isOptional = false): readonly Member[] {
  return members.length === 0 ? [] : [{ name, type: objectType({ members }), isOptional }];
}

/**
 * Returns whether a hook file must have functions for the type: it has computed properties, stored
 * or answered ones.
 */
function needsHooks(type: ModelType): boolean {
  const isAnswered = type.answered !== undefined;
  return isAnswered || fromProperties(type).length + onProperties(type).length > 0;
}

/** Returns the types that a property with `on` follows, each once, sorted. */
function listSources({ computed }: ModelProperty): readonly string[] {
  if (computed?.kind !== 'on') return [];
  return [...new Set(computed.sources.map(({ type }) => type))].sort(byCodeUnit);
}
