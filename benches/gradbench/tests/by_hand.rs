//! Hand-written derivatives and the tool give the same numbers, so both do the same work.

use gradbench::EVALS;
use gradbench::cases::small_cases;
use gradbench_peers::by_hand::BY_HAND;
use gradbench_peers::difference;
use serde_json::json;

#[test]
fn derivatives_by_hand_are_those_of_the_tool() {
    for case in small_cases() {
        let (module, function) = (case.eval, case.derivative);
        let message = json!({ "id": 0, "kind": "evaluate", "module": module, "function": function, "input": case.input });
        let [ours, theirs] = [EVALS, BY_HAND].map(|evals| {
            let answer = gradbench::answer_by(evals, "", &message.to_string());
            assert_eq!(answer["success"], true, "{module}: {}", answer["error"]);
            answer["output"].clone()
        });
        let apart = difference(&ours, &theirs).unwrap_or_else(|error| panic!("{module}: {error}"));
        assert!(apart < 1e-13, "{module}, {}: {apart:e}", case.size);
    }
}

#[test]
fn outputs_differ_by_shape_and_by_number() {
    assert!(difference(&json!([1.0, 2.0]), &json!([1.0])).is_err());
    assert!(difference(&json!({ "a": 1.0 }), &json!({ "b": 1.0 })).is_err());
    assert!(difference(&json!([1.0]), &json!([null])).is_err());
    // Of the largest entry of an array.
    assert_eq!(difference(&json!([[4.0, 1.0], [2.0, 0.0]]), &json!([[4.0, 1.0], [2.0, 1.0]])), Ok(0.25));
    assert_eq!(difference(&json!({ "a": [8.0], "b": [1.0] }), &json!({ "a": [8.0], "b": [2.0] })), Ok(1.0));
}
