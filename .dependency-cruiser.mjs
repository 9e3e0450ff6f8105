// Why it is so: docs/decisions/0017-tests-and-rules.md

// The import rules of the project, for dependency-cruiser: `npm run lint`.
/** The rooms of the core, lowest floor first. A room imports lower floors only, never another room of its own floor. */
export const FLOORS = [
  ['contract'],
  ['sqlite', 'models', 'memory'],
  ['settings', 'activity'],
  ['systems', 'database.ts'],
  ['files', 'query', 'ledger-keeper.ts'],
  ['ingest', 'window', 'search'],
  ['browse', 'provenance', 'ledger'],
  ['compaction', 'trace', 'notes', 'ledgers.ts'],
  ['compare', 'doctor'],
  ['agents', 'map', 'remote'],
  ['lcm.ts', 'databases.ts'],
  ['jobs', 'machine'],
  ['core.ts'],
  ['host'],
  ['watch'],
  ['router.ts'],
  ['doors'],
]

/** Files of the core that belong to no room: every room may import them, and they import `contract` only. */
export const GROUND = [
  'binary-search',
  'canonical-json',
  'clock',
  'cursor',
  'database-address',
  'errors',
  'folders',
  'hashing',
  'keeping',
  'local-path',
  'log',
  'markup',
  'packages',
  'parsed-json',
  'platform',
  'read-at',
  'sanitize',
  'tables',
  'text',
  'yielding',
].map((name) => `${name}.ts`)

const escaped = (names) => names.map((name) => name.replaceAll('.', '\\.')).join('|')
const inRooms = (...names) => `^core/(${escaped(names)})(/|$)`
const forbid = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to })
/** Only those in `who` import what matches `path`. */
const only = (name, comment, who, path) =>
  forbid(name, comment, { path: '^(core|electron|renderer)/', pathNot: who }, { path })

const floorRules = FLOORS.flatMap((floor, height) =>
  floor.map((room) =>
    forbid(
      `floor of ${room}`,
      `core/${room} imports lower floors only: move what both need down, or pass it as an argument.`,
      { path: inRooms(room) },
      { path: inRooms(...FLOORS.slice(height).flat()), pathNot: inRooms(room) },
    ),
  ),
)

export default {
  options: {
    // The TypeScript that is installed has no API to parse with: without this parser no file would be read.
    parser: 'swc',
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
  forbidden: [
    forbid('unresolved', 'The import leads nowhere.', {}, { couldNotResolve: true }),
    forbid(
      'cycle',
      'Files import each other in a circle: move what both need to a third file.',
      {},
      { circular: true },
    ),
    forbid(
      'no room',
      'A file of the core stands in a room or belongs to the ground: FLOORS and GROUND in .dependency-cruiser.mjs.',
      { path: '^(core|electron|renderer)/' },
      { path: '^core/', pathNot: [inRooms(...FLOORS.flat()), `^core/(${escaped(GROUND)})$`] },
    ),
    ...floorRules,
    forbid(
      'ground',
      'Ground files import core/contract and each other only.',
      { path: `^core/(${escaped(GROUND)})$` },
      { path: '^core/', pathNot: [inRooms('contract'), `^core/(${escaped(GROUND)})$`] },
    ),
    only(
      'driver',
      'Only core/sqlite imports an SQLite driver.',
      inRooms('sqlite'),
      '^(node:)?sqlite$|node_modules/(@types/)?better-sqlite3/',
    ),
    only(
      'driver of PostgreSQL',
      'Only core/remote/postgres imports a driver of PostgreSQL.',
      '^core/remote/postgres/',
      'node_modules/(@types/)?pg/',
    ),
    only(
      'databases',
      'Memories in databases are reached by core/databases.ts, so that a kind of database goes with its folder.',
      '^core/(remote/|databases\\.ts$)',
      '^core/remote/',
    ),
    only(
      'ledgers',
      'Ledgers are reached by core/ledgers.ts, so that what keeps them goes with its folder.',
      '^core/(ledger/|ledgers\\.ts$)',
      '^core/ledger/',
    ),
    only(
      'client of S3',
      'Only core/remote/objects talks to a store of large files.',
      '^core/remote/objects/',
      'node_modules/aws4fetch/',
    ),
    only(
      'rpc',
      'oRPC stays at the edges: contract, router, doors and the client of the window.',
      [inRooms('contract', 'router.ts', 'doors'), '^renderer/api\\.ts$'],
      'node_modules/@orpc/',
    ),
    forbid(
      'pure contract',
      'core/contract imports zod and @orpc/contract only: the window and every client load it.',
      { path: inRooms('contract') },
      { pathNot: [inRooms('contract'), 'node_modules/zod/', 'node_modules/@orpc/contract/'] },
    ),
    forbid(
      'pure memory',
      'core/memory computes and reads nothing: no package, no module of Node.',
      { path: inRooms('memory') },
      { pathNot: '^core/' },
    ),
    forbid(
      'systems apart',
      'A system knows no other system. Only lossless-claude reads as lossless-claw, whose file it is a copy of.',
      { path: '^core/systems/([^/]+)/', pathNot: '^core/systems/lossless-claude/' },
      {
        path: '^core/systems/[^/]+/',
        pathNot: ['^core/systems/$1/', '^core/systems/(deriving|reading|records|rules)/'],
      },
    ),
    forbid(
      'features apart',
      'A feature of the window knows no other feature: what both need belongs to renderer/ui.',
      { path: '^renderer/features/([^/]+)/' },
      { path: '^renderer/features/[^/]+/', pathNot: '^renderer/features/$1/' },
    ),
    forbid(
      'window',
      'The window sees core/contract only: no other file of the core, no shell, no module of Node.',
      { path: '^renderer/' },
      { path: ['^(core|electron)/', 'node_modules/(electron|better-sqlite3)/'], pathNot: inRooms('contract') },
    ),
    forbid('window without Node', 'The window runs in a page.', { path: '^renderer/' }, { dependencyTypes: ['core'] }),
    forbid(
      'shell',
      'The shell starts doors of the core and shows what they ask: it sees doors, ground files and the contract.',
      { path: '^electron/' },
      {
        path: '^(core|renderer)/',
        pathNot: [
          inRooms('contract', 'doors'),
          `^core/(${escaped(GROUND)})$`,
          // The dialog words the question itself, as the terminal does.
          '^core/settings/confirmation\\.ts$',
        ],
      },
    ),
  ],
}
