/** Runs a job to its end. */
export async function finish<T>(job: AsyncGenerator<unknown, T>): Promise<T> {
  for (;;) {
    const step = await job.next()
    if (step.done) return step.value
  }
}
