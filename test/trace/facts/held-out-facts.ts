import { factsIn } from './facts.ts'

// These facts were written before the comparison was changed, and nothing was tuned on them. Whoever tunes it looks at
// the facts in tuning-facts.ts instead.

/** Facts of trades that the comparison was not tuned on: what was said, and the same kept, reworded, changed and denied. */
export const HELD_OUT_FACTS = factsIn(`
# kitchen
said: Chef wants the duck at 54 degrees for 90 minutes, then straight into the ice bath.
kept: Duck: 54 degrees for 90 minutes, then straight into the ice bath.
reworded: For the duck Chef asked for an hour and a half sous vide at 54 degrees and shock cooling afterwards.
changed: Duck: 58 degrees for 90 minutes, then straight into the ice bath.
denied: Chef does not want the duck at 54 degrees for 90 minutes.

said: Table 14 has a guest with a sesame allergy, confirmed by Noor at the door.
kept: Guest at table 14 has a sesame allergy (confirmed by Noor).
reworded: Noor confirmed that someone sitting at table 14 cannot eat sesame.
changed: Guest at table 17 has a sesame allergy (confirmed by Noor).
denied: The guest at table 14 has no sesame allergy, confirmed by Noor at the door.

said: we're out of the Sicilian lemons, the supplier Bertolini only delivers again on 12 March
kept: Out of Sicilian lemons; supplier Bertolini delivers again on 12 March.
reworded: Until Bertolini comes on 12 March there are no more lemons from Sicily.
changed: Out of Sicilian lemons; supplier Bertolini delivers again on 21 March.
denied: We are not out of Sicilian lemons; supplier Bertolini delivers on 12 March.

said: The walk-in freezer alarm went off twice last night because the door gasket leaks near hinge B3.
kept: Walk-in freezer alarm went off twice last night: the door gasket leaks near hinge B3.
reworded: Two alarms of the freezer during the night come from a bad seal by hinge B3.
changed: Walk-in freezer alarm went off twice last night: the door gasket leaks near hinge C1.
denied: Walk-in freezer alarm went off twice last night, but the door gasket does not leak near hinge B3.

said: Inspector Haldane passed the pastry section on Tuesday.
kept: Inspector Haldane passed the pastry section on Tuesday.
reworded: On Tuesday the pastry section got through the inspection by Haldane.
changed: Inspector Maddox passed the pastry section on Tuesday.
denied: Inspector Haldane failed the pastry section on Tuesday.

said: I never add the saffron before the stock reaches 85 degrees, otherwise it goes bitter.
kept: Saffron is never added before the stock reaches 85 degrees, otherwise it goes bitter.
reworded: The saffron waits until the stock is at 85 degrees so that it does not get bitter.
changed: Saffron is never added before the stock reaches 70 degrees, otherwise it goes bitter.
denied: Saffron is always added before the stock reaches 85 degrees, otherwise it goes bitter.

# shipping
said: Container MSKU4471902 was released by customs in Rotterdam on 3 February.
kept: Container MSKU4471902 released by customs in Rotterdam on 3 February.
reworded: On 3 February Dutch customs at Rotterdam let MSKU4471902 go.
changed: Container MSKU4471902 released by customs in Rotterdam on 8 February.
denied: Container MSKU4471902 was not released by customs in Rotterdam on 3 February.

said: The reefer unit on the Astrid Maersk kept minus 18 during the whole crossing.
kept: The reefer unit on the Astrid Maersk kept minus 18 during the whole crossing.
reworded: All the way across, the cold container aboard the Astrid Maersk held -18.
changed: The reefer unit on the Astrid Maersk kept minus 11 during the whole crossing.
denied: The reefer unit on the Astrid Maersk did not keep minus 18 during the whole crossing.

said: Captain Ferreira refuses to sail to Durban without a second pilot.
kept: Captain Ferreira refuses to sail to Durban without a second pilot.
reworded: Ferreira will only take the ship to Durban if a second pilot comes along.
changed: Captain Ferreira refuses to sail to Maputo without a second pilot.
denied: Captain Ferreira agrees to sail to Durban without a second pilot.

said: Demurrage at berth 7 costs us 4,200 dollars a day from Friday on.
kept: Demurrage at berth 7: 4,200 dollars a day from Friday on.
reworded: Starting Friday every day that the vessel stays at berth 7 is charged with 4,200 dollars.
changed: Demurrage at berth 7: 2,400 dollars a day from Friday on.
denied: Demurrage at berth 7 no longer costs us 4,200 dollars a day from Friday on.

said: The bill of lading is missing the signature of agent Okonkwo.
kept: The bill of lading lacks the signature of agent Okonkwo.
reworded: Okonkwo has yet to sign the bill of lading.
changed: The bill of lading is missing the signature of agent Adeyemi.
denied: The bill of lading has the signature of agent Okonkwo.

said: pls note hull insurance for Nordlys expires end of Sept, policy HX-20931
kept: Hull insurance for Nordlys expires end of September, policy HX-20931.
reworded: Policy HX-20931, which covers the hull of the Nordlys, runs out when September ends.
changed: Hull insurance for Nordlys expires end of September, policy HX-20913.
denied: Hull insurance for Nordlys does not expire end of September, policy HX-20931.

# software
said: The nightly export in services/ledger/export.ts skips tenants that have more than 500 invoices.
kept: Nightly export (services/ledger/export.ts) skips tenants with more than 500 invoices.
reworded: Tenants above 500 invoices are left out of the export that runs every night, see services/ledger/export.ts.
changed: Nightly export (services/ledger/export.ts) skips tenants with more than 50 invoices.
denied: Nightly export (services/ledger/export.ts) does not skip tenants with more than 500 invoices.

said: I enabled gzip on the edge proxy for api.larkspur.example.
kept: gzip enabled on the edge proxy for api.larkspur.example.
reworded: Responses of api.larkspur.example are now compressed with gzip by the edge proxy.
changed: gzip enabled on the edge proxy for cdn.larkspur.example.
denied: gzip disabled on the edge proxy for api.larkspur.example.

said: The migration 0042_add_currency.sql has been applied to staging, Yusuf checked it.
kept: 0042_add_currency.sql applied to staging (checked by Yusuf).
reworded: Yusuf looked at staging after 0042_add_currency.sql had run there.
changed: 0042_add_currency.sql applied to production (checked by Yusuf).
denied: 0042_add_currency.sql has not been applied to staging yet (Yusuf checked it).

said: Our retry loop gives up after 7 attempts and writes DEADLETTER to the journal.
kept: The retry loop gives up after 7 attempts and writes DEADLETTER to the journal.
reworded: After seven tries the loop ends and DEADLETTER goes to the journal.
changed: The retry loop gives up after 9 attempts and writes DEADLETTER to the journal.
denied: The retry loop does not give up after 7 attempts and never writes DEADLETTER to the journal.

said: It turned out that parseHeader() isn't thread-safe, so Ingrid wrapped it in a mutex.
kept: parseHeader() is not thread-safe; Ingrid wrapped it in a mutex.
reworded: Because several threads must not call parseHeader() at once, Ingrid put a mutex around it.
changed: parseFooter() is not thread-safe; Ingrid wrapped it in a mutex.
denied: parseHeader() is thread-safe; Ingrid did not wrap it in a mutex.

said: Build 8812 passes on Windows but the installer is unsigned.
kept: Build 8812 passes on Windows; the installer is unsigned.
reworded: On Windows build 8812 is green, although its installer has no signature.
changed: Build 8821 passes on Windows; the installer is unsigned.
denied: Build 8812 fails on Windows and the installer is unsigned.

said: Please keep the feature flag beta_checkout closed for customers in Brazil.
kept: Feature flag beta_checkout stays closed for customers in Brazil.
reworded: Brazilian customers do not get beta_checkout; the flag stays closed for Brazil.
changed: Feature flag beta_checkout stays closed for customers in Chile.
denied: Feature flag beta_checkout is open for customers in Brazil.

# medicine
said: Mrs. Lindqvist is allergic to penicillin and takes 75 mg of clopidogrel daily.
kept: Mrs. Lindqvist: allergic to penicillin, takes 75 mg of clopidogrel daily.
reworded: Lindqvist reacts to penicillin; her daily clopidogrel dose is 75 mg.
changed: Mrs. Lindqvist: allergic to penicillin, takes 150 mg of clopidogrel daily.
denied: Mrs. Lindqvist is not allergic to penicillin and takes 75 mg of clopidogrel daily.

said: The CT of 14 August shows no bleeding in the left temporal lobe.
kept: CT of 14 August: no bleeding in the left temporal lobe.
reworded: On the CT of 14 August the left temporal lobe is free of bleeding.
changed: CT of 19 August: no bleeding in the left temporal lobe.
denied: CT of 14 August shows bleeding in the left temporal lobe.

said: Dr. Amari stopped the heparin at 06:40 because platelets had fallen to 62.
kept: Dr. Amari stopped heparin at 06:40, platelets had fallen to 62.
reworded: With platelets down at 62, heparin was discontinued by Amari at 06:40.
changed: Dr. Amari stopped heparin at 08:40, platelets had fallen to 62.
denied: Dr. Amari did not stop the heparin at 06:40 although platelets had fallen to 62.

said: Patient in bed 12 consented to the biopsy in front of nurse Pettersen.
kept: Patient in bed 12 consented to the biopsy in front of nurse Pettersen.
reworded: Nurse Pettersen witnessed how the patient of bed 12 agreed to have the biopsy.
changed: Patient in bed 21 consented to the biopsy in front of nurse Pettersen.
denied: Patient in bed 12 refused to consent to the biopsy in front of nurse Pettersen.

said: The wound of Mr. Castellanos is healing well; we remove the stitches on day 10.
kept: Wound of Mr. Castellanos heals well; stitches are removed on day 10.
reworded: Castellanos has a wound that closes nicely, and on day 10 the stitches come out.
changed: Wound of Mr. Castellanos heals well; stitches are removed on day 14.
denied: Wound of Mr. Castellanos is not healing well; we do not remove the stitches on day 10.

said: Ventilator V-208 was calibrated before the night shift by Oyelaran.
kept: Ventilator V-208 calibrated by Oyelaran before the night shift.
reworded: Ahead of the night shift Oyelaran did the calibration of V-208.
changed: Ventilator V-208 calibrated by Bancroft before the night shift.
denied: Ventilator V-208 was never calibrated by Oyelaran before the night shift.

said: He can walk without pain since the injection of 5 ml lidocaine.
kept: Walks without pain since the injection of 5 ml lidocaine.
reworded: Since 5 ml of lidocaine were injected his walking is free of pain.
changed: Walks without pain since the injection of 8 ml lidocaine.
denied: He cannot walk without pain since the injection of 5 ml lidocaine.

# farming
said: Field 9 behind the Tollhouse was sown with winter barley in week 39.
kept: Field 9 behind the Tollhouse: winter barley sown in week 39.
reworded: In week 39 winter barley went into the ground on field 9 by the Tollhouse.
changed: Field 9 behind the Tollhouse: winter barley sown in week 36.
denied: Field 9 behind the Tollhouse was not sown with winter barley in week 39.

said: Cow 3317 tested positive for mastitis, so her milk goes into the calf bucket.
kept: Cow 3317 positive for mastitis; her milk goes into the calf bucket.
reworded: The mastitis test of cow 3317 came back positive and her milk is kept for the calves.
changed: Cow 3371 positive for mastitis; her milk goes into the calf bucket.
denied: Cow 3317 tested negative for mastitis, so her milk does not go into the calf bucket.

said: The Fendt needs new injectors, Marek ordered four from Agritec for 1,160 euros.
kept: Fendt needs new injectors: Marek ordered four from Agritec for 1,160 euros.
reworded: Marek bought four injectors at Agritec so that the Fendt runs again, 1,160 euros.
changed: Fendt needs new injectors: Marek ordered four from Agritec for 1,610 euros.
denied: The Fendt does not need new injectors; Marek did not order four from Agritec for 1,160 euros.

said: Irrigation on the Hollow Creek plots must stay off until the well recovers to 11 metres.
kept: Irrigation on the Hollow Creek plots must stay off until the well is back at 11 metres.
reworded: No watering at Hollow Creek before the well has risen to 11 metres.
changed: Irrigation on the Hollow Creek plots must stay off until the well is back at 16 metres.
denied: Irrigation on the Hollow Creek plots need not stay off until the well recovers to 11 metres.

said: The vet vaccinated all 240 ewes against bluetongue last Thursday.
kept: All 240 ewes were vaccinated against bluetongue last Thursday.
reworded: Bluetongue shots were given to the 240 ewes by the vet on Thursday.
changed: All 204 ewes were vaccinated against bluetongue last Thursday.
denied: None of the 240 ewes were vaccinated against bluetongue last Thursday.

said: The cooperative accepted our potatoes at grade A, said Wilhelmina.
kept: Wilhelmina: the cooperative accepted our potatoes at grade A.
reworded: According to Wilhelmina the cooperative took the potatoes as grade A.
changed: Svetlana: the cooperative accepted our potatoes at grade A.
denied: Wilhelmina: the cooperative rejected our potatoes at grade A.

# film production
said: Scene 42 will be shot on Pier 6 with two cameras, Anneke confirmed the permit.
kept: Scene 42 is shot on Pier 6 with two cameras; permit confirmed by Anneke.
reworded: Anneke has the permit, so Pier 6 with two cameras is where scene 42 happens.
changed: Scene 42 is shot on Pier 9 with two cameras; permit confirmed by Anneke.
denied: Scene 42 will not be shot on Pier 6 with two cameras, Anneke confirmed the permit.

said: Rushes from 17 October are stored on drive LTO-0093.
kept: Rushes from 17 October stored on drive LTO-0093.
reworded: Drive LTO-0093 holds what was filmed on 17 October.
changed: Rushes from 17 October stored on drive LTO-0039.
denied: Rushes from 17 October are not stored on drive LTO-0093.

said: The stunt double for Delacroix doesn't have a helmet that fits.
kept: The stunt double for Delacroix has no helmet that fits.
reworded: None of the helmets is the right size for the double of Delacroix.
changed: The stunt double for Beaumont doesn't have a helmet that fits.
denied: The stunt double for Delacroix has a helmet that fits.

said: Sound says the generator hum is gone since they moved it 30 metres behind the barn.
kept: Sound: generator hum gone since it was moved 30 metres behind the barn.
reworded: Moving the generator 30 metres away behind the barn took care of the hum.
changed: Sound: generator hum gone since it was moved 80 metres behind the barn.
denied: Sound: generator hum is not gone since it was moved 30 metres behind the barn.

said: Director Osei agreed to cut the car chase from reel 3.
kept: Director Osei agreed to cut the car chase from reel 3.
reworded: Osei is fine with reel 3 losing the car chase.
changed: Director Osei agreed to cut the car chase from reel 5.
denied: Director Osei never agreed to cut the car chase from reel 3.

said: The rain machine was returned to Kessler Rentals unpaid.
kept: Rain machine returned to Kessler Rentals unpaid.
reworded: Kessler Rentals got its rain machine back, but no money so far.
changed: Rain machine returned to Lyndon Rentals unpaid.
denied: Rain machine returned to Kessler Rentals, paid.

# theatre and school
said: Understudy Priya takes over the role of Hermia on 22 May because Joanna broke her wrist.
kept: Understudy Priya takes over Hermia on 22 May; Joanna broke her wrist.
reworded: Since Joanna has a broken wrist, Hermia is played by Priya on 22 May.
changed: Understudy Priya takes over Hermia on 25 May; Joanna broke her wrist.
denied: Understudy Priya does not take over the role of Hermia on 22 May although Joanna broke her wrist.

said: The orchestra pit lift stays locked during rehearsals, rule 4.2 of the house.
kept: Rule 4.2 of the house: the orchestra pit lift stays locked during rehearsals.
reworded: While rehearsals run, nobody uses the pit lift, it is locked (rule 4.2).
changed: Rule 4.7 of the house: the orchestra pit lift stays locked during rehearsals.
denied: Rule 4.2 of the house: the orchestra pit lift stays unlocked during rehearsals.

said: Class 8b handed in 23 essays and Mr. Thornbury has graded them all.
kept: Class 8b handed in 23 essays; Mr. Thornbury graded all of them.
reworded: All 23 essays of 8b have been marked by Thornbury.
changed: Class 8b handed in 32 essays; Mr. Thornbury graded all of them.
denied: Class 8b handed in 23 essays and Mr. Thornbury has not graded them.

said: Exam room 204 is available on the 19th, the caretaker told Eleni.
kept: Exam room 204 is available on the 19th (caretaker to Eleni).
reworded: Eleni heard from the caretaker that room 204 is free for the exam on the 19th.
changed: Exam room 240 is available on the 19th (caretaker to Eleni).
denied: Exam room 204 is unavailable on the 19th (caretaker to Eleni).

# building site
said: The concrete for slab C5 reached 32 MPa after seven days, which is above what Ruiz asked for.
kept: Slab C5: concrete reached 32 MPa after seven days, above what Ruiz asked for.
reworded: Seven days on, C5 has a strength of 32 MPa and so more than Ruiz wanted.
changed: Slab C5: concrete reached 23 MPa after seven days, above what Ruiz asked for.
denied: Slab C5: concrete reached 32 MPa after seven days, below what Ruiz asked for.

said: Don't pour the east footing before the rebar photos are uploaded to site/photos/east.
kept: Do not pour the east footing before the rebar photos are in site/photos/east.
reworded: Only once site/photos/east has the rebar pictures may the east footing be poured.
changed: Do not pour the east footing before the rebar photos are in site/photos/west.
denied: Pour the east footing before the rebar photos are uploaded to site/photos/east.

said: Crane 2 was lowered on Monday because the wind exceeded 72 km/h.
kept: Crane 2 lowered on Monday, wind exceeded 72 km/h.
reworded: On Monday, with winds of more than 72 km/h, crane 2 came down.
changed: Crane 2 lowered on Monday, wind exceeded 92 km/h.
denied: Crane 2 was raised on Monday although the wind exceeded 72 km/h.

said: Elevator shaft B is still without power, electrician Tomasz said at noon.
kept: Elevator shaft B still without power (electrician Tomasz, noon).
reworded: At noon Tomasz reported that shaft B has no electricity yet.
changed: Elevator shaft D still without power (electrician Stanislav, noon).
denied: Elevator shaft B has power, electrician Tomasz said at noon.

said: The fire doors on floor 11 have been delivered by Harcourt & Sons.
kept: Fire doors for floor 11 delivered by Harcourt & Sons.
reworded: Harcourt & Sons brought what was ordered as fire doors for floor 11.
changed: Fire doors for floor 13 delivered by Harcourt & Sons.
denied: Fire doors for floor 11 have not been delivered by Harcourt & Sons.

# library and bank
said: Folio MS 118 must never leave the vault, Abernathy insists.
kept: Folio MS 118 must never leave the vault (Abernathy).
reworded: Abernathy insists on keeping folio MS 118 inside the vault at all times.
changed: Folio MS 181 must never leave the vault (Abernathy).
denied: Folio MS 118 may leave the vault, Abernathy insists.

said: Interest on the Wexford loan rises to 5.4 percent from January.
kept: Interest on the Wexford loan rises to 5.4 percent from January.
reworded: From January the Wexford loan gets dearer, at 5.4 percent.
changed: Interest on the Wexford loan rises to 4.5 percent from January.
denied: Interest on the Wexford loan falls to 5.4 percent from January.

said: Transfer TX-778201 to Zanetti was blocked by compliance yesterday.
kept: Transfer TX-778201 to Zanetti blocked by compliance yesterday.
reworded: Yesterday compliance put a stop on TX-778201, the payment for Zanetti.
changed: Transfer TX-778201 to Moretti blocked by compliance yesterday.
denied: Transfer TX-778201 to Zanetti was allowed by compliance yesterday.

said: Account 55-1093 is not overdrawn, I checked with the Leeds branch.
kept: Account 55-1093 is not overdrawn (checked with the Leeds branch).
reworded: According to Leeds there is still money in account 55-1093.
changed: Account 55-1093 is not overdrawn (checked with the York branch).
denied: Account 55-1093 is overdrawn, I checked with the Leeds branch.

said: Ms. Kowalczyk signed the guarantee in the presence of notary Brandt.
kept: Ms. Kowalczyk signed the guarantee in the presence of notary Brandt.
reworded: Notary Brandt was there when the guarantee got the signature of Kowalczyk.
changed: Ms. Kowalczyk signed the guarantee in the presence of notary Vogel.
denied: Ms. Kowalczyk declined to sign the guarantee in the presence of notary Brandt.

# aviation
said: Flight QF 631 left Perth with 9 tonnes of fuel, 2 more than planned.
kept: Flight QF 631 left Perth with 9 tonnes of fuel, 2 more than planned.
reworded: When QF 631 took off in Perth it had 9 tonnes in its tanks, two above plan.
changed: Flight QF 631 left Perth with 6 tonnes of fuel, 2 more than planned.
denied: Flight QF 631 did not leave Perth with 9 tonnes of fuel, 2 more than planned.

said: The left engine of VH-OQD was inspected after the bird strike and nothing was found.
kept: Left engine of VH-OQD inspected after the bird strike, nothing found.
reworded: A look into the left engine of VH-OQD following the bird strike brought no findings.
changed: Left engine of VH-OQB inspected after the bird strike, nothing found.
denied: Left engine of VH-OQD was not inspected after the bird strike.

said: Runway 16 remains closed to aircraft heavier than 40 tonnes.
kept: Runway 16 remains closed to aircraft heavier than 40 tonnes.
reworded: Planes above 40 tonnes still may not use runway 16.
changed: Runway 16 remains closed to aircraft heavier than 60 tonnes.
denied: Runway 16 is no longer closed to aircraft heavier than 40 tonnes.

said: First officer Nakagawa has flown the approach into Innsbruck 3 times.
kept: First officer Nakagawa has flown the approach into Innsbruck 3 times.
reworded: Innsbruck is an approach that Nakagawa already knows from 3 flights.
changed: First officer Nakagawa has flown the approach into Innsbruck 8 times.
denied: First officer Nakagawa has never flown the approach into Innsbruck.

# other languages
said: Der Pachtvertrag mit Familie Obermeier wurde am 4. April 2031 verlängert.
kept: Pachtvertrag mit Familie Obermeier am 4. April 2031 verlängert.
reworded: Am 4. April 2031 hat man sich mit Obermeier auf eine längere Pacht geeinigt.
changed: Pachtvertrag mit Familie Obermeier am 4. April 2033 verlängert.
denied: Der Pachtvertrag mit Familie Obermeier wurde am 4. April 2031 nicht verlängert.

said: Die Kühlanlage in Halle 12 läuft wieder, sagt Frau Steinhauser.
kept: Die Kühlanlage in Halle 12 läuft wieder (Frau Steinhauser).
reworded: Laut Steinhauser ist die Kühlung von Halle 12 in Betrieb.
changed: Die Kühlanlage in Halle 21 läuft wieder (Frau Steinhauser).
denied: Die Kühlanlage in Halle 12 läuft nicht mehr, sagt Frau Steinhauser.

said: Le camion de Gaillard arrive au quai 8 avec 36 palettes.
kept: Le camion de Gaillard arrive au quai 8 avec 36 palettes.
reworded: Avec ses 36 palettes, Gaillard sera au quai 8.
changed: Le camion de Gaillard arrive au quai 8 avec 63 palettes.
denied: Le camion de Gaillard n'arrive pas au quai 8 avec 36 palettes.

said: El doctor Villanueva operó al paciente de la habitación 315 el martes.
kept: Villanueva operó al paciente de la habitación 315 el martes.
reworded: El martes Villanueva hizo la operación del enfermo de la 315.
changed: Villanueva operó al paciente de la habitación 351 el martes.
denied: El doctor Villanueva no operó al paciente de la habitación 315 el martes.

said: 李伟已经在3月15日签署了仓库租赁合同。
kept: 李伟在3月15日签署了仓库租赁合同。
reworded: 仓库的租赁合同3月15日由李伟签好了。
changed: 李伟在3月18日签署了仓库租赁合同。
denied: 李伟没有在3月15日签署仓库租赁合同。

said: 田中さんは第3工場の検査に合格しました。
kept: 田中さんは第3工場の検査に合格した。
reworded: 第3工場の検査は田中さんが無事に通りました。
changed: 田中さんは第5工場の検査に合格しました。
denied: 田中さんは第3工場の検査に合格しませんでした。
`)
