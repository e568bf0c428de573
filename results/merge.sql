-- Brings the small tables of the attached database "other" into this one. Rows are the
-- same when their name that holds everywhere is. Runs with their engines and games, and
-- hosts of runs, have been brought before.
INSERT INTO hosts (hash, machine, facts, created)
SELECT hash, machine, facts, created FROM other.hosts WHERE true
ON CONFLICT DO NOTHING;

INSERT INTO benches (uuid, suite, signature, host, label, version, commit_id, engine, sha256, settings, state, created, nodes, samples, median, low, high)
SELECT o.uuid, suite, signature, h.id, label, version, commit_id, engine, sha256, settings, state, o.created, nodes, samples, median, low, high
FROM other.benches o JOIN other.hosts oh ON oh.id = o.host JOIN hosts h ON h.hash = oh.hash WHERE true
ON CONFLICT DO NOTHING;

INSERT INTO events (run, at, kind, text)
SELECT r.id, o.at, o.kind, o.text
FROM other.events o JOIN other.runs s ON s.id = o.run JOIN runs r ON r.uuid = s.uuid
WHERE NOT EXISTS (SELECT 1 FROM events e WHERE e.run = r.id AND e.at = o.at AND e.kind = o.kind AND e.text = o.text)
ORDER BY o.id;

INSERT INTO datasets (hash, inputs, games, pairs, positions, bytes, created)
SELECT hash, inputs, games, pairs, positions, bytes, created FROM other.datasets WHERE true
ON CONFLICT DO NOTHING;

-- Weights name fits and fits weights: first the weights alone.
INSERT INTO weights (sha256, name, created, data)
SELECT sha256, name, created, data FROM other.weights WHERE true
ON CONFLICT DO NOTHING;

INSERT INTO fits (run, round, dataset, base, config, k, loss_train, loss_validation, loss_test, loss_rounded, condition, steps, created, finished, checkpoint)
SELECT r.id, o.round, d.id, b.id, o.config, o.k, o.loss_train, o.loss_validation, o.loss_test, o.loss_rounded, o.condition, o.steps, o.created, o.finished, o.checkpoint
FROM other.fits o
JOIN other.runs s ON s.id = o.run JOIN runs r ON r.uuid = s.uuid
JOIN other.datasets od ON od.id = o.dataset JOIN datasets d ON d.hash = od.hash
LEFT JOIN other.weights ob ON ob.id = o.base LEFT JOIN weights b ON b.sha256 = ob.sha256
WHERE true
ON CONFLICT (run, round) DO UPDATE SET k = excluded.k, loss_train = excluded.loss_train, loss_validation = excluded.loss_validation,
	loss_test = excluded.loss_test, loss_rounded = excluded.loss_rounded, condition = excluded.condition, steps = excluded.steps,
	finished = excluded.finished, checkpoint = excluded.checkpoint
	WHERE fits.finished = 0 AND (excluded.finished <> 0 OR excluded.steps > fits.steps);

CREATE TEMP TABLE same_fit AS
SELECT o.id AS theirs, f.id AS ours
FROM other.fits o JOIN other.runs s ON s.id = o.run JOIN runs r ON r.uuid = s.uuid JOIN fits f ON f.run = r.id AND f.round = o.round;

INSERT INTO fit_steps (fit, step, at, loss_train, loss_validation, gradient)
SELECT f.ours, step, at, loss_train, loss_validation, gradient FROM other.fit_steps JOIN same_fit f ON f.theirs = fit WHERE true
ON CONFLICT DO NOTHING;

INSERT INTO fit_weights (fit, name, phase, start, value, error, count, prior)
SELECT f.ours, name, phase, start, value, error, count, prior FROM other.fit_weights JOIN same_fit f ON f.theirs = fit WHERE true
ON CONFLICT DO NOTHING;

UPDATE weights SET
	parent = coalesce(parent, (SELECT p.id FROM other.weights o JOIN other.weights op ON op.id = o.parent JOIN weights p ON p.sha256 = op.sha256 WHERE o.sha256 = weights.sha256)),
	fit = coalesce(fit, (SELECT f.ours FROM other.weights o JOIN same_fit f ON f.theirs = o.fit WHERE o.sha256 = weights.sha256))
WHERE parent IS NULL OR fit IS NULL;

DROP TABLE same_fit;

INSERT INTO trials (run, candidate, base, verdict, decided)
SELECT r.id, c.id, b.id, o.verdict, o.decided
FROM other.trials o
JOIN other.runs s ON s.id = o.run JOIN runs r ON r.uuid = s.uuid
JOIN other.weights oc ON oc.id = o.candidate JOIN weights c ON c.sha256 = oc.sha256
JOIN other.weights ob ON ob.id = o.base JOIN weights b ON b.sha256 = ob.sha256
WHERE true
ON CONFLICT (run) DO UPDATE SET verdict = excluded.verdict, decided = excluded.decided WHERE trials.verdict = '';

INSERT INTO spsa_steps (run, step, at, params, score)
SELECT r.id, step, at, params, score
FROM other.spsa_steps o JOIN other.runs s ON s.id = o.run JOIN runs r ON r.uuid = s.uuid WHERE true
ON CONFLICT DO NOTHING;
