import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { type DatabaseAddress, parseAddress } from '#core/database-address.ts'
import { connectPostgres, type Postgres } from '#core/remote/postgres/connect.ts'

export const PASSWORD = 'a-secret-of-the-tests'

/** Runs a server, and ends it when this process is gone, however it went. */
const UNTIL_INPUT_ENDS = '"$0" "$@" & server=$!; read -r _; kill -INT $server; wait $server'

const SUPERUSER = 'superuser'

/** Where Debian and its relatives put PostgreSQL. */
const VERSIONS = '/usr/lib/postgresql'
/** PostgreSQL refuses to run as root; nobody's files are nobody's. */
const NOBODY = 65534

/** The folder of the newest installed server, or null. */
export function installedPostgres(): string | null {
  const versions = existsSync(VERSIONS) ? readdirSync(VERSIONS) : []
  const newest = versions.map(Number).toSorted((a, b) => b - a)
  return (
    newest.map((version) => join(VERSIONS, String(version), 'bin')).find((bin) => existsSync(join(bin, 'initdb'))) ??
    null
  )
}

export type RealServer = {
  readonly address: DatabaseAddress
  connect(): Promise<Postgres>
  /** A connection that may do everything, and that row-level security does not hold for. */
  connectSuperuser(database?: string): Promise<Postgres>
  /** Ends the server as a power cut does, and starts it again. */
  killAndRestart(): Promise<void>
  /** Starts the server again with this certificate and its key. */
  useTls(certificate: string, key: string): Promise<void>
  /** Starts a server that follows this one by streaming, with the same logins. It ends with this one. */
  startReplica(): Promise<DatabaseAddress>
  /** Ends the server as a power cut does. */
  kill(): Promise<void>
  stop(): Promise<void>
}

/**
 * Starts a server on a free port, in a temporary folder, with passwords and room for 250 connections. The database
 * belongs to a user that is no superuser.
 */
export async function startPostgres(bin: string): Promise<RealServer> {
  const folder = mkdtempSync(join(tmpdir(), 'lcm-postgres-'))
  const isRoot = process.getuid?.() === 0
  const user = isRoot ? { uid: NOBODY, gid: NOBODY } : {}
  const data = join(folder, 'data')
  const passwordFile = join(folder, 'password')
  mkdirSync(data, { mode: 0o700 })
  writeFileSync(passwordFile, PASSWORD)
  chmodSync(folder, 0o755)
  if (isRoot) for (const path of [folder, data, passwordFile]) chownSync(path, NOBODY, NOBODY)
  const setUp = [
    '-D',
    data,
    '-U',
    SUPERUSER,
    '--auth=scram-sha-256',
    `--pwfile=${passwordFile}`,
    '--no-sync',
    '-E',
    'UTF8',
  ]
  execFileSync(join(bin, 'initdb'), setUp, { ...user, stdio: 'ignore' })
  const port = await freePort()
  const { address } = parseAddress(`postgres://owner@127.0.0.1:${port}/lcm`, 'argument')
  const settings = { port, max_connections: 250, listen_addresses: '127.0.0.1', unix_socket_directories: folder }
  const flags: string[] = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const connectSuperuser = (database = address.database) =>
    connectPostgres({ ...address, user: SUPERUSER, database }, PASSWORD)
  let server: ChildProcess | null = null
  let replica: ChildProcess | null = null
  const hasEnded = () => server === null || server.exitCode !== null || server.signalCode !== null
  const start = async () => {
    for (let attempt = 0; attempt < 300; attempt += 1) {
      // Processes of connections outlive a killed server for a moment, and it does not start beside them.
      if (hasEnded()) {
        const run = [join(bin, 'postgres'), '-D', data, ...flags]
        server = spawn('sh', ['-c', UNTIL_INPUT_ENDS, ...run], { ...user, stdio: ['pipe', 'ignore', 'ignore'] })
      }
      try {
        await (await connectSuperuser('postgres')).close()
        return
      } catch {
        await pause(100)
      }
    }
    throw new Error('PostgreSQL did not start')
  }
  const end = async (signal: NodeJS.Signals) => {
    const running = server
    if (running === null || hasEnded()) return
    const ended = new Promise((resolve) => running.once('exit', resolve))
    if (signal === 'SIGKILL') {
      process.kill(Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]), signal)
    }
    running.stdin?.end()
    await ended
  }
  await start()
  const superuser = await connectSuperuser('postgres')
  await superuser.script(/* sql */ `CREATE ROLE owner LOGIN PASSWORD '${PASSWORD}'`)
  await superuser.script(/* sql */ `CREATE DATABASE lcm OWNER owner`)
  await superuser.close()
  return {
    address,
    connectSuperuser,
    connect: () => connectPostgres(address, PASSWORD),
    killAndRestart: async () => {
      await end('SIGKILL')
      rmSync(join(data, 'postmaster.pid'), { force: true })
      await start()
    },
    kill: () => end('SIGKILL'),
    startReplica: async () => {
      const copy = join(folder, 'replica')
      const from = ['-h', '127.0.0.1', '-p', String(port), '-U', SUPERUSER, '--checkpoint=fast', '--no-sync']
      const env = { ...process.env, PGPASSWORD: PASSWORD }
      await promisify(execFile)(join(bin, 'pg_basebackup'), ['-D', copy, '-R', ...from], { ...user, env, cwd: data })
      const followed = { ...address, port: await freePort() }
      const run = [join(bin, 'postgres'), '-D', copy, ...flags, '-c', `port=${followed.port}`]
      replica = spawn('sh', ['-c', UNTIL_INPUT_ENDS, ...run], { ...user, stdio: ['pipe', 'ignore', 'ignore'] })
      for (let attempt = 0; attempt < 300; attempt += 1) {
        try {
          await (await connectPostgres(followed, PASSWORD)).close()
          return followed
        } catch {
          await pause(100)
        }
      }
      throw new Error('the replica did not start')
    },
    useTls: async (certificate, key) => {
      for (const [name, path] of [
        ['ssl_cert_file', certificate],
        ['ssl_key_file', key],
      ] as const) {
        const own = join(folder, name)
        copyFileSync(path, own)
        chmodSync(own, 0o600)
        if (isRoot) chownSync(own, NOBODY, NOBODY)
        flags.push('-c', `${name}=${own}`)
      }
      flags.push('-c', 'ssl=on')
      await end('SIGINT')
      await start()
    },
    stop: async () => {
      const following = replica
      if (following !== null && following.exitCode === null) {
        const ended = new Promise((resolve) => following.once('exit', resolve))
        following.stdin?.end()
        await ended
      }
      await end('SIGINT')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() =>
        address && typeof address === 'object' ? resolve(address.port) : reject(new Error('no port')),
      )
    })
  })
}
