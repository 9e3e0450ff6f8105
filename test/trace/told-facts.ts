import type { Draw } from '../provenance/stories.ts'

/** A fact as a message says it, and the forms in which summaries may keep it, hide it in other words, or spoil it. */
export type ToldFact = {
  readonly role: 'user' | 'assistant' | 'tool'
  readonly said: string
  readonly kept: readonly string[]
  readonly reworded: readonly string[]
  readonly changed: readonly string[]
}

export type ToldPlot = (draw: Draw) => ToldFact

/** Written before the comparison was tuned. */
export const FIRST_FACTS: readonly ToldPlot[] = [
  (draw) => {
    const [ticket, from, to] = [draw.code(), draw.number(20, 900), draw.number(1100, 4000)]
    return {
      role: 'assistant',
      said: `The gateway retries were raised from ${from} to ${to} on Friday (${ticket}).`,
      kept: [
        `Gateway retries raised from ${from} to ${to} on Friday (${ticket}).`,
        `On Friday the gateway retries went from ${from} to ${to}, see ${ticket}.`,
      ],
      reworded: [`The gateway now tries more often, as ${ticket} asked.`],
      changed: [`Gateway retries raised from ${from} to ${Number(to) + 50} on Friday (${ticket}).`],
    }
  },
  (draw) => {
    const [path, line] = [draw.path(), draw.number(120, 9000)]
    return {
      role: 'assistant',
      said: `The leak comes from ${path}, line ${line}: the cursor is never closed there.`,
      kept: [
        `Leak found in ${path}, line ${line}: the cursor is never closed.`,
        `Cause of the leak: ${path} line ${line} never closes the cursor.`,
      ],
      reworded: [`One module forgets to close its cursor and so keeps memory; it is ${path}.`],
      changed: [`Leak found in ${path}, line ${Number(line) + 7}: the cursor is never closed.`],
    }
  },
  (draw) => {
    const room = draw.room()
    return {
      role: 'user',
      said: `Let's use Postgres instead of Redis for the ${room} queue, because the cache node keeps running out of memory.`,
      kept: [
        `Decision: Postgres instead of Redis for the ${room} queue, because the cache node runs out of memory.`,
        `The ${room} queue uses Postgres instead of Redis, since the cache node keeps running out of memory.`,
      ],
      reworded: [`The ${room} queue moves to the relational database.`],
      changed: [
        `Decision: Redis instead of Postgres for the ${room} queue, because the cache node runs out of memory.`,
      ],
    }
  },
  (draw) => {
    const [person, room] = [draw.person(), draw.room()]
    return {
      role: 'user',
      said: `Please never deploy the ${room} service on a weekend without asking ${person} first.`,
      kept: [
        `Never deploy the ${room} service on a weekend without asking ${person} first.`,
        `Constraint: no deploy of the ${room} service on a weekend without asking ${person}.`,
      ],
      reworded: [`${person} decides whether ${room} goes out between Friday and Monday.`],
      changed: [`Never deploy the ${room} service on a weekend without asking ${draw.person()} first.`],
    }
  },
  (draw) => {
    const [name, ms] = [draw.identifier(), draw.number(200, 9000)]
    return {
      role: 'assistant',
      said: `I measured it again: ${name} takes ${ms} ms at the 95th percentile.`,
      kept: [`${name} takes ${ms} ms at the 95th percentile.`, `Measured: ${name} ${ms} ms at the 95th percentile.`],
      reworded: [`${name} answers fast enough in almost all cases.`],
      changed: [`${name} takes ${Number(ms) + 31} ms at the 95th percentile.`],
    }
  },
  (draw) => {
    const [code, host] = [draw.code(), draw.host()]
    return {
      role: 'tool',
      said: `The upload failed with ${code} because ${host} refused the connection.`,
      kept: [
        `Upload failed with ${code}: ${host} refused the connection.`,
        `${code} on upload, ${host} refused the connection.`,
      ],
      reworded: [`The upload broke off when ${host} hung up.`],
      changed: [`Upload failed with ${draw.code()}: ${host} refused the connection.`],
    }
  },
  (draw) => {
    const [version, name] = [draw.version(), draw.identifier()]
    return {
      role: 'assistant',
      said: `We pinned the driver to version ${version}, since later ones break ${name}.`,
      kept: [
        `Driver pinned to version ${version}, later ones break ${name}.`,
        `The driver stays at version ${version} because later ones break ${name}.`,
      ],
      reworded: [`The driver is held back for the sake of ${name}.`],
      changed: [`Driver pinned to version ${draw.version()}, later ones break ${name}.`],
    }
  },
  (draw) => {
    const room = draw.room()
    return {
      role: 'assistant',
      said: `The lock in the ${room} worker is not the cause of the duplicate charges.`,
      kept: [
        `The lock in the ${room} worker is not the cause of the duplicate charges.`,
        `Not the cause of the duplicate charges: the lock in the ${room} worker.`,
      ],
      reworded: [`Locking in ${room} was looked into and can be ruled out.`],
      changed: [`The lock in the ${room} worker is the cause of the duplicate charges.`],
    }
  },
  (draw) => {
    const [name, hash] = [draw.identifier(), draw.hash()]
    return {
      role: 'assistant',
      said: `Commit ${hash} renamed the flag to ${name} in all three services.`,
      kept: [
        `Commit ${hash} renamed the flag to ${name} in three services.`,
        `The flag is now ${name} in all three services (commit ${hash}).`,
      ],
      reworded: [`A commit gave the flag the name ${name} everywhere.`],
      changed: [`Commit ${draw.hash()} renamed the flag to ${name} in three services.`],
    }
  },
  (draw) => {
    const [gb, room] = [draw.number(120, 900), draw.room()]
    return {
      role: 'user',
      said: `The ${room} export must stay below ${gb} GB, otherwise the auditors cannot open it.`,
      kept: [
        `The ${room} export must stay below ${gb} GB, or the auditors cannot open it.`,
        `Constraint: ${room} export below ${gb} GB, otherwise auditors cannot open it.`,
      ],
      reworded: [`The auditors need a small file of ${room}.`],
      changed: [`The ${room} export must stay below ${Number(gb) + 100} GB, or the auditors cannot open it.`],
    }
  },
  (draw) => {
    const [person, path] = [draw.person(), draw.path()]
    return {
      role: 'user',
      said: `${person} said that the old importer in ${path} has to remain until the migration is over.`,
      kept: [
        `${person}: the old importer in ${path} remains until the migration is over.`,
        `The old importer in ${path} has to remain until the migration is over (${person}).`,
      ],
      reworded: [`The previous loader (${path}) may only be removed at the very end.`],
      changed: [`${person}: the old importer in ${draw.path()} remains until the migration is over.`],
    }
  },
  (draw) => {
    const [count, all] = [draw.number(20, 600), draw.number(2000, 9000)]
    return {
      role: 'assistant',
      said: `Of ${all} refunds, ${count} were booked twice, all of them in the night to Tuesday.`,
      kept: [
        `${count} of ${all} refunds were booked twice, all in the night to Tuesday.`,
        `In the night to Tuesday ${count} of ${all} refunds were booked twice.`,
      ],
      reworded: [`Among ${all} refunds some went out two times at the start of the week.`],
      changed: [`${Number(count) + 300} of ${all} refunds were booked twice, all in the night to Tuesday.`],
    }
  },
]

/** Written after the comparison was tuned. */
export const LATER_FACTS: readonly ToldPlot[] = [
  (draw) => {
    const [port, host] = [draw.number(3000, 9800), draw.host()]
    return {
      role: 'assistant',
      said: `The metrics endpoint listens on port ${port} of ${host} since this morning.`,
      kept: [
        `Since this morning the metrics endpoint of ${host} listens on port ${port}.`,
        `Metrics endpoint: ${host}, port ${port}.`,
      ],
      reworded: [`Measurements can now be fetched from ${host}.`],
      changed: [`The metrics endpoint listens on port ${Number(port) + 11} of ${host}.`],
    }
  },
  (draw) => {
    const [name, other] = [draw.identifier(), draw.identifier()]
    return {
      role: 'user',
      said: `We decided to delete ${name} and to keep ${other} as the only entry point.`,
      kept: [
        `Decided: delete ${name}, keep ${other} as the only entry point.`,
        `${other} stays as the only entry point and ${name} is deleted.`,
      ],
      reworded: [`${other} will be the sole way in.`],
      changed: [`Decided: delete ${draw.identifier()}, keep ${other} as the only entry point.`],
    }
  },
  (draw) => {
    const [person, hours] = [draw.person(), draw.number(110, 900)]
    return {
      role: 'user',
      said: `${person} wants an answer within ${hours} hours, whatever the outcome is.`,
      kept: [
        `${person} wants an answer within ${hours} hours.`,
        `Within ${hours} hours ${person} wants an answer, whatever the outcome.`,
      ],
      reworded: [`The deadline of ${person} is tight.`],
      changed: [`${person} wants an answer within ${Number(hours) * 2} hours.`],
    }
  },
  (draw) => {
    const [path, room] = [draw.path(), draw.room()]
    return {
      role: 'assistant',
      said: `I moved the ${room} fixtures to ${path} and deleted the old folder.`,
      kept: [
        `The ${room} fixtures were moved to ${path}, the old folder is deleted.`,
        `Moved ${room} fixtures to ${path}; old folder deleted.`,
      ],
      reworded: [`The ${room} test data has another home now, see ${path}.`],
      changed: [`The ${room} fixtures were moved to ${draw.path()}, the old folder is deleted.`],
    }
  },
  (draw) => {
    const [room, code] = [draw.room(), draw.code()]
    return {
      role: 'tool',
      said: `error: the ${room} migration aborted with ${code} after the second table.`,
      kept: [
        `The ${room} migration aborted with ${code} after the second table.`,
        `${code} aborted the ${room} migration after the second table.`,
      ],
      reworded: [`The ${room} migration stopped half way (${code}).`],
      changed: [`The ${room} migration aborted with ${draw.code()} after the second table.`],
    }
  },
  (draw) => {
    const room = draw.room()
    return {
      role: 'user',
      said: `Customers of the ${room} plan must not see the price of other customers.`,
      kept: [
        `Customers of the ${room} plan must not see the price of other customers.`,
        `Constraint: customers of the ${room} plan must not see prices of other customers.`,
      ],
      reworded: [`Prices are private between customers of ${room}.`],
      changed: [`Customers of the ${room} plan must see the price of other customers.`],
    }
  },
  (draw) => {
    const [version, hash] = [draw.version(), draw.hash()]
    return {
      role: 'assistant',
      said: `Release ${version} was tagged at ${hash} and published to both registries.`,
      kept: [
        `Release ${version} tagged at ${hash}, published to both registries.`,
        `Both registries have release ${version} (${hash}).`,
      ],
      reworded: [`The new release ${version} is out everywhere.`],
      changed: [`Release ${version} tagged at ${draw.hash()}, published to both registries.`],
    }
  },
  (draw) => {
    const [euros, person] = [draw.number(3000, 9700), draw.person()]
    return {
      role: 'user',
      said: `The invoice of ${person} is wrong: it should be ${euros} euros and not more.`,
      kept: [
        `The invoice of ${person} is wrong, it should be ${euros} euros.`,
        `${person}'s invoice is wrong: it should be ${euros} euros and not more.`,
      ],
      reworded: [`${person} was billed too much.`],
      changed: [`The invoice of ${person} is wrong, it should be ${Number(euros) + 640} euros.`],
    }
  },
  (draw) => {
    const [name, room] = [draw.identifier(), draw.room()]
    return {
      role: 'assistant',
      said: `${name} does not hold the ${room} lock while it waits for the network.`,
      kept: [
        `${name} does not hold the ${room} lock while it waits for the network.`,
        `While it waits for the network, ${name} does not hold the ${room} lock.`,
      ],
      reworded: [`${name} lets go of the lock during network calls.`],
      changed: [`${name} holds the ${room} lock while it waits for the network.`],
    }
  },
  (draw) => {
    const [seconds, room] = [draw.number(110, 880), draw.room()]
    return {
      role: 'assistant',
      said: `I set the timeout of the ${room} client to ${seconds} seconds, because the proxy closes idle connections.`,
      kept: [
        `Timeout of the ${room} client set to ${seconds} seconds, because the proxy closes idle connections.`,
        `The ${room} client times out after ${seconds} seconds; the proxy closes idle connections.`,
      ],
      reworded: [`Waiting in the ${room} client was adapted to the proxy.`],
      changed: [
        `Timeout of the ${room} client set to ${Number(seconds) + 45} seconds, because the proxy closes idle connections.`,
      ],
    }
  },
  (draw) => {
    const [room, name] = [draw.room(), draw.identifier()]
    return {
      role: 'user',
      said: `Go with cursors rather than offsets in the ${room} API, and call it ${name}.`,
      kept: [
        `The ${room} API uses cursors rather than offsets; it is called ${name}.`,
        `Decision: cursors rather than offsets in the ${room} API, called ${name}.`,
      ],
      reworded: [`${name} pages through ${room} without counting rows.`],
      changed: [`Decision: offsets rather than cursors in the ${room} API, called ${name}.`],
    }
  },
  (draw) => {
    const [rows, path] = [draw.number(4000, 9700), draw.path()]
    return {
      role: 'tool',
      said: `${path}: ${rows} rows checked, none of them differs.`,
      kept: [`${path}: ${rows} rows checked, none differs.`, `Checked ${rows} rows of ${path}, none of them differs.`],
      reworded: [`${path} was compared and is fine.`],
      changed: [`${path}: ${Number(rows) + 77} rows checked, none differs.`],
    }
  },
]
