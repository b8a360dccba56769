#include "base/systemc/context.h"

#include <systemc>

#include "base/error.h"
#include "base/systemc/time.h"

namespace trn {

ScopedContext::ScopedContext() {
  sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL, sc_core::SC_THROW);
  sc_core::sc_report_handler::set_actions(sc_core::SC_WARNING, sc_core::SC_DO_NOTHING);
}

ScopedContext::~ScopedContext() {
  delete sc_core::sc_curr_simcontext;
  sc_core::sc_curr_simcontext = new sc_core::sc_simcontext;
  sc_core::sc_default_global_context = sc_core::sc_curr_simcontext;
}

void run_to_quiescence() {
  try {
    sc_core::sc_start();
  } catch (const sc_core::sc_report& report) {
    throw InternalError(std::string(report.get_msg()) + " at " + std::to_string(now().count()) + " ps");
  }
}

}  // namespace trn
