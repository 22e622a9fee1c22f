/**
 * The arrows between folders (src/README.md), checked by `npm run check`. Each rule says why it is there.
 * A rule of the first kind lists all that a folder may import of ours; one of the second where a package may be.
 */

/** `folder` imports of src, generated and build only itself and what `allowed` matches. */
function onlyImports(folder, allowed, comment) {
  return {
    name: `${folder.replaceAll('/', '-')}-imports`,
    comment,
    severity: 'error',
    from: { path: `^${folder}/` },
    to: {
      path: '^(src|generated|build|scripts|client|conform|test|bench)/',
      pathNot: [`^${folder}/`, ...allowed],
    },
  };
}

/** Packages of the tools that generate and build. */
const TOOLS = [
  ...['ajv', 'diff', 'expect', 'fast-check', 'json-schema-to-typescript', 'junit-report-builder'],
  ...['prisma', 'ts-morph', 'typescript', 'yaml', '@prisma/schema-engine-wasm', '@vercel/nft'],
];

/** Packages are imported by `folders` alone (scripts and tests aside). */
function onlyIn(packages, folders, comment) {
  return {
    name: `${packages[0].replaceAll('/', '-')}-stays-in-its-folder`,
    comment,
    severity: 'error',
    from: { path: '^(src|generated)/', pathNot: folders },
    to: { path: packages.map((name) => `(^|node_modules/(@types/)?)${name}(/|$)`) },
  };
}

const wire = ['^src/(protocol|text|capability|runtime)/'];
const store = ['^src/store/port[.]ts$'];
const principal = ['^src/accounts/principal[.]ts$'];
const push = ['^src/accounts/push-port[.]ts$'];
const directory = ['^src/accounts/admin-port[.]ts$'];
const ports = [...store, ...principal, ...push, ...directory, '^src/blobs/blob-store[.]ts$'];

module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      comment:
        'Modules of a cycle start half made, and it has no first file to read. Types count: files ' +
        'that name the types of each other are one file in two.',
      severity: 'error',
      from: { path: '^(client/)?src/' },
      to: { circular: true },
    },
    {
      name: 'no-circular-modules',
      comment: 'Modules of a cycle start half made.',
      severity: 'error',
      from: { pathNot: '^src/' },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'no-orphans',
      comment: 'A file of src that nothing imports and that imports nothing is forgotten.',
      severity: 'error',
      from: { orphan: true, path: '^src/' },
      to: {},
    },
    {
      name: 'no-unresolvable',
      comment: 'An import that leads nowhere would pass every other rule.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'no-undeclared-packages',
      comment:
        'The server may use only what its users install: dependencies, and types of the others.',
      severity: 'error',
      from: { path: '^(src|generated)/' },
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
        dependencyTypesNot: ['type-only'],
        pathNot: '^node_modules/@types/',
      },
    },

    {
      name: 'tools-packages-stay-with-tools',
      comment:
        'The package brings what it takes to generate and to build. A server that runs loads none of it; ' +
        'generated validators use the helpers of ajv alone.',
      severity: 'error',
      from: { path: '^(src|generated)/', pathNot: '^src/descriptor/' },
      to: {
        path: `(^|node_modules/)(${TOOLS.join('|')})(/|$)`,
        pathNot: '(^|node_modules/)ajv/dist/runtime/',
      },
    },

    onlyImports(
      'client/src',
      ['^src/(protocol|text)/', '^src/runtime/paused-work[.]ts$'],
      'Browsers load the client: of the server it takes the pure functions of the wire, and steps of long work.',
    ),
    {
      name: 'client-without-node',
      comment:
        'Browsers load the client: they have nothing of Node. The store in a file is for Node.',
      severity: 'error',
      from: { path: '^client/src/', pathNot: '^client/src/persist/sqlite' },
      to: { dependencyTypes: ['core'] },
    },
    onlyImports(
      'src/protocol',
      wire,
      'The wire is pure functions: it can be read, tested and reused without the server.',
    ),
    onlyImports(
      'src/runtime',
      wire,
      'The runtime keeps one request from blocking others, and knows nothing of the work it runs.',
    ),
    onlyImports('src/text', wire, 'Folding and collation keys come from tables and nothing else.'),
    onlyImports(
      'src/capability',
      wire,
      'The vocabulary of generated code must not drag the engine along.',
    ),
    onlyImports(
      'src/outbound',
      wire,
      'Requests to other servers are judged by their address, whatever they are for.',
    ),
    onlyImports('src/blobs', wire, 'A blob store knows no access, types or references.'),
    onlyImports(
      'src/database',
      [...wire, '^build/prisma/'],
      'Connections, the writer and migrations serve engines; they know none of them.',
    ),
    onlyImports(
      'src/accounts',
      [...wire, '^src/(database|outbound)/', '^build/prisma/'],
      'Users and tokens are independent of methods, data types and transports.',
    ),
    onlyImports(
      'src/store',
      [...wire, '^src/database/'],
      'Engines implement the port: they know nothing of methods or transports.',
    ),
    onlyImports(
      'src/access',
      [...wire, ...store, ...principal],
      'The view of a user follows from data: it can be tested without a database.',
    ),
    onlyImports(
      'src/methods',
      [
        ...wire,
        ...ports,
        '^src/store/(traced|delegate)[.]ts$',
        '^src/access/',
        '^generated/(blob|core)/methods[.]ts$',
      ],
      'Methods see ports (and a port that tells a trace), never an engine, a driver or a transport. Built-in ones ' +
        'have generated argument types.',
    ),
    onlyImports(
      'src/hooks',
      [...wire, ...store, ...principal, '^src/methods/'],
      'The hook runner uses methods, and accounts by their port. Methods know it by the interface Hooks of ' +
        'methods/context.ts alone.',
    ),
    onlyImports(
      'src/backfill',
      [...wire, ...store, '^src/(methods|hooks|database)/'],
      'A backfill goes through the same methods and hooks as a /set.',
    ),
    onlyImports(
      'src/push',
      [...wire, ...store, ...principal, ...push, '^src/(outbound|access)/'],
      'Push reads through the ports, as methods do.',
    ),
    onlyImports(
      'src/http',
      [...wire, ...ports, '^src/(access|methods|push|accounts)/'],
      'HTTP calls methods and push; storage reaches it as ports, and what it counts and logs by interfaces.',
    ),
    onlyImports(
      'src/websocket',
      [...wire, ...principal, '^src/http/(shared|upgrade|reply)[.]ts$', '^src/push/channel[.]ts$'],
      'A WebSocket begins as an HTTP request: it knows what both have in common, and no route.',
    ),
    {
      name: 'engines-apart',
      comment: 'The database engines share the port and src/store/sql, not each other.',
      severity: 'error',
      from: { path: '^src/store/(sqlite|postgresql)/' },
      to: {
        path: '^src/(store|database)/(sqlite|postgresql)/',
        pathNot: '^src/(store|database)/$1/',
      },
    },
    {
      name: 'nothing-engine-specific-in-shared-sql',
      comment: 'The shared SQL vocabulary is the same for every database.',
      severity: 'error',
      from: { path: '^src/store/(port[.]ts$|sql/)' },
      to: { path: '^src/(store/(sqlite|postgresql)|database)/' },
    },
    {
      name: 'methods-use-generated-types-only',
      comment: 'Generated code calls methods, so methods may know its types but not run it.',
      severity: 'error',
      from: { path: '^src/methods/' },
      to: { path: '^generated/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'built-in-types-stay-apart',
      comment: 'No shared code knows one capability: only its own folder reads its types.',
      severity: 'error',
      from: { path: '^src/methods/', pathNot: '^src/methods/(blob|core|push-subscription)/' },
      to: { path: '^generated/' },
    },
    {
      name: 'generated-imports-the-vocabulary',
      comment:
        'Generated code also serves projects that depend on the package: it knows jmapsmith/capability, its own ' +
        'files, the client, hook files and the helpers of its compiled validators.',
      severity: 'error',
      from: { path: '^generated/' },
      to: {
        pathNot: [
          '^generated/',
          '^src/capability/index[.]ts$',
          '^client/src/index[.]ts$',
          '^capabilities/[^/]+[.]hooks[.]ts$',
          '(^|node_modules/)ajv/dist/runtime/',
        ],
      },
    },
    {
      name: 'capabilities-alone-import-hooks',
      comment:
        'Types, definitions and validators stay loadable without hook files: capability.ts binds them.',
      severity: 'error',
      from: { pathNot: '^generated/[^/]+/capability[.]ts$|^capabilities/' },
      to: { path: '^capabilities/[^/]+[.]hooks[.]ts$' },
    },
    {
      name: 'hooks-import-the-vocabulary',
      comment:
        "Hook files are a team's own: they know jmapsmith/capability, what is generated, and packages.",
      severity: 'error',
      from: { path: '^capabilities/[^/]+[.]hooks[.]ts$' },
      to: { path: '^(src|scripts|test|bench)/', pathNot: '^src/capability/index[.]ts$' },
    },
    {
      name: 'server-is-the-root',
      comment: 'src/server puts the house together. Nothing of the house knows it.',
      severity: 'error',
      from: { path: '^(src|generated)/', pathNot: '^src/server/' },
      to: { path: '^src/server/' },
    },
    {
      name: 'nothing-imports-main',
      comment: 'A process starts by it; the composition root start.ts is for it alone.',
      severity: 'error',
      from: { pathNot: '^src/server/main[.]ts$' },
      to: { path: '^src/server/(main|start)[.]ts$' },
    },
    onlyImports(
      'src/descriptor',
      wire,
      'The descriptor language is read by the generator and by the conformance runner: it knows neither.',
    ),
    {
      name: 'server-without-descriptors',
      comment:
        'The server runs from generated code. Tools alone read descriptors; the file of identity ' +
        'providers is read by the same parser.',
      severity: 'error',
      from: { path: '^(src|generated)/', pathNot: '^src/(descriptor|server/auth-file)/' },
      to: { path: '^src/descriptor/' },
    },
    {
      name: 'auth-file-by-the-parser-alone',
      comment:
        'A server with AUTH_FILE takes the parser, places and hints of the descriptor language: ' +
        'no rule of it, and no ajv.',
      severity: 'error',
      from: { path: '^src/server/auth-file/' },
      to: {
        path: '^src/descriptor/',
        pathNot:
          '^src/descriptor/((parse|located|model|descriptor-file)|check/(rule|did-you-mean))[.]ts$',
      },
    },
    {
      name: 'auth-file-loaded-late',
      comment: 'A server without AUTH_FILE loads nothing that reads YAML.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/server/auth-file/' },
      to: {
        path: '^src/server/auth-file/',
        dynamic: false,
        dependencyTypesNot: ['type-only'],
      },
    },
    onlyImports(
      'conform/src',
      [...wire, '^src/descriptor/'],
      'The conformance runner is a package of its own and judges servers by what they answer: of ours it takes the ' +
        'descriptor language and the words of the wire.',
    ),
    {
      name: 'conform-declares-its-packages',
      comment: 'The published runner has the packages of conform/package.json alone.',
      severity: 'error',
      from: { path: '^conform/src/' },
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
        dependencyTypesNot: ['type-only'],
        pathNot: '^node_modules/@types/',
      },
    },
    {
      name: 'client-store-for-node-apart',
      comment: 'The store in a file is an entry of its own: nothing of the client imports it.',
      severity: 'error',
      from: { path: '^client/src/', pathNot: '^client/src/(persist|cache)/sqlite' },
      to: { path: '^client/src/(persist|cache)/sqlite' },
    },
    {
      name: 'client-bindings-apart',
      comment: 'A binding is an entry of its own: nothing of the client imports it.',
      severity: 'error',
      from: { path: '^client/src/', pathNot: '^client/src/bindings/' },
      to: { path: '^client/src/bindings/' },
    },
    {
      name: 'client-bindings-are-thin',
      comment: 'A binding shows observables: of the client it knows types alone.',
      severity: 'error',
      from: { path: '^client/src/bindings/' },
      to: {
        path: '^(client/src|src)/',
        pathNot: '^client/src/bindings/',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'client-bindings-packages',
      comment: 'Each binding imports the library of its name, and no package else.',
      severity: 'error',
      from: { path: '^client/src/bindings/([a-z]+)' },
      to: { path: '(^|/)node_modules/', pathNot: '(^|/)node_modules/(@types/)?@?$1(-js)?/' },
    },
    {
      name: 'client-without-packages',
      comment:
        'Browsers download the client: it has the package idb, no other. The ' +
        'store in a file uses types of the SQLite driver.',
      severity: 'error',
      from: { path: '^client/src/', pathNot: '^client/src/bindings/' },
      to: {
        path: '(^|/)node_modules/',
        pathNot: '(^|/)node_modules/(idb|better-sqlite3)/',
      },
    },
    {
      name: 'generated-client-alone-imports-client',
      comment: 'The server and its tools know nothing of the client.',
      severity: 'error',
      from: { path: '^(src|generated|scripts|capabilities)/', pathNot: '^generated/client/' },
      to: { path: '^(client|generated/client)/' },
    },
    {
      name: 'generated-client-imports-client',
      comment:
        'Applications compile generated/client: it imports the client and its own files alone.',
      severity: 'error',
      from: { path: '^generated/client/' },
      to: { pathNot: '^(generated/client/|client/src/index[.]ts$)' },
    },
    {
      name: 'server-without-tools',
      comment: 'Tools and tests use the server, never the other way round.',
      severity: 'error',
      from: { path: '^(src|generated)/' },
      to: { path: '^(scripts|conform|test|bench)/' },
    },

    {
      name: 'rules-without-emitters',
      comment: 'A rule judges what a team wrote. A rule knows nothing of the emitted files.',
      severity: 'error',
      from: { path: '^scripts/generator/(load|hooks)/' },
      to: { path: '^scripts/generator/emit/' },
    },

    onlyIn(['express'], ['^src/http/'], 'The HTTP framework can be replaced in one folder.'),
    onlyIn(['helmet', 'proxy-addr'], ['^src/http/'], 'Headers and peers are transport matters.'),
    onlyIn(
      ['@eslint-community/regexpp'],
      ['^src/text/pattern/'],
      'Everything else compiles a pattern by compilePattern.',
    ),
    onlyIn(
      ['ipaddr.js'],
      ['^src/outbound/', '^src/http/client-address[.]ts$'],
      'One place decides which addresses are public, another which client an address is.',
    ),
    onlyIn(
      ['rate-limiter-flexible'],
      ['^src/runtime/rates/'],
      'The library that counts requests can be replaced in one folder.',
    ),
    onlyIn(['ws'], ['^src/websocket/'], 'The WebSocket library can be replaced in one folder.'),
    onlyIn(
      ['@aws-sdk', '@smithy'],
      ['^src/blobs/'],
      'S3 stays behind the port of blobs, so that another service can be added.',
    ),
    onlyIn(
      ['better-sqlite3', 'better-sqlite3-13', 'pg', '@prisma', 'prisma'],
      ['^src/database/', '^src/store/(sqlite|postgresql)/'],
      'Drivers and Prisma stay behind the ports, so that another database can be added.',
    ),
    {
      name: 'sqlite-driver-by-node',
      comment: 'The safe driver depends on Node: driver.ts chooses. Types are free.',
      severity: 'error',
      from: { pathNot: ['^src/database/sqlite/driver[.]ts$', '^scripts/build-lock[.]mjs$'] },
      to: { path: '(^|node_modules/)better-sqlite3(-13)?/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'prisma-client-stays-in-its-folders',
      comment:
        'The generated client counts as Prisma. start.ts passes one on that project.ts has loaded, and needs no type of it.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: '^src/((database|accounts)/|server/project[.]ts$)',
      },
      to: { path: '^build/' },
    },
    onlyIn(
      ['pino'],
      ['^src/server/logging[.]ts$'],
      'Everything else logs through src/server/logging.ts.',
    ),
    onlyIn(
      ['prom-client'],
      ['^src/server/(push-)?metrics[.]ts$'],
      'Everything else counts through src/server/metrics.ts.',
    ),
  ],
  options: {
    doNotFollow: { path: ['node_modules', '^build/', '^dist/'] },
    exclude: { path: '^(dist|data|coverage)/' },
    tsConfig: { fileName: 'tsconfig.json' },
    // Types count: a type of a driver in a method is an arrow too.
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['jmapsmith-source', 'import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.js', '.mjs', '.cjs', '.json', '.d.ts'],
      mainFields: ['module', 'main', 'types'],
    },
  },
};
