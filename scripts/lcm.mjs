// `npm run lcm -- …`: npm changes to the project folder, so the command is run in the user's own folder again.
import { userFolder } from './project.mjs'
import { runLcm } from './run-lcm.mjs'

await runLcm(userFolder)
