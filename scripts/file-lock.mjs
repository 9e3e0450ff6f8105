// A lock file, because two terminals may run `npm start` in the same fresh clone.
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { say } from './project.mjs'

/** Runs `work` while holding the lock file, which contains the holder's process id. Waits while the holder is alive. */
export async function withFileLock(path, purpose, work) {
  await acquire(path, purpose)
  try {
    return await work()
  } finally {
    await rm(path, { force: true })
  }
}

async function acquire(path, purpose) {
  await mkdir(dirname(path), { recursive: true })
  for (let announced = false; ; ) {
    try {
      await writeFile(path, String(process.pid), { flag: 'wx' })
      return
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
    }
    const holder = Number(await readFile(path, 'utf8').catch(() => ''))
    if (isAlive(holder)) {
      if (!announced) say(`waiting for another ${purpose} to finish (process ${holder})…`)
      announced = true
    } else await discardStale(path, holder)
    await sleep(200)
  }
}

/** The holder has died. Renaming the file first makes sure that only one waiting process removes it. */
async function discardStale(path, holder) {
  const aside = `${path}.${process.pid}`
  try {
    await rename(path, aside)
    const taken = Number(await readFile(aside, 'utf8'))
    // Another process took the lock in between, so it is given back.
    if (taken !== holder && isAlive(taken)) await writeFile(path, String(taken), { flag: 'wx' }).catch(() => undefined)
    await rm(aside, { force: true })
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
  }
}

function isAlive(pid) {
  if (!Number.isInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}
